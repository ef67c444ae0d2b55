import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Caller } from '../access/rights.js';
import type { Language } from '../i18n/languages.js';

/** The head of a request, and its socket. Node's requests are of this type, too. */
export type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'socket'>;

/** A request, as far as its response depends on it. The framework's requests are of this type, too. */
export interface Asked {
  raw: Head;
  method: string;
  headers: IncomingHttpHeaders;
  ip: string;
  originalUrl: string;
  /** The namespace path that the caller used. */
  base?: string | undefined;
  /** The language of the response. */
  language?: Language;
  caller?: Caller;
}
