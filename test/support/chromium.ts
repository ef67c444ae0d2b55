import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** A real browser that reaches nothing but servers of the tests. */

const BROWSER = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
/** Why it cannot be used, if so. */
export const missing = existsSync(BROWSER) ? false : `no Chromium at ${BROWSER}: install one, or set CHROMIUM_PATH`;
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: BROWSER, headless: true, args: ARGS });
