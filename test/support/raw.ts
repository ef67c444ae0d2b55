import http from 'node:http';
import type { Reply } from './server.js';

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  localAddress?: string;
}

/** A request as no browser would send it: any Host, a body on GET, from another address of this machine. */
export function raw(
  url: string,
  { method = 'GET', headers = {}, body, localAddress }: RawRequest = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, ...(localAddress && { localAddress }) }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => {
        const headers = new Headers();
        for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
        let json: unknown;
        try {
          json = JSON.parse(text);
        } catch {
          json = undefined;
        }
        resolve({ status: answer.statusCode ?? 0, headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
