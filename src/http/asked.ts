import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Caller } from '../access/rights.js';
import type { Language } from '../i18n/languages.js';

/** What is in the head of a request, and where it came from. Those of the engine are such, too. */
export type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'socket'>;

/** A request, as far as its answer depends on it. Those of the framework are such, too. */
export interface Asked {
  raw: Head;
  method: string;
  headers: IncomingHttpHeaders;
  ip: string;
  originalUrl: string;
  /** The namespace path that the caller used. */
  base?: string | undefined;
  /** The language of the answer. */
  language?: Language;
  caller?: Caller;
}
