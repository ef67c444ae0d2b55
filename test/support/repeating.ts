import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Repeats } from '../../src/http/repeats.js';
import type { Outgoing } from '../../src/http/send.js';
import { Bytes } from '../../src/records/rendered.js';

export const LARGE = 1_000_000;

export const get = (path: string, ...more: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: here', ...more, '', ''].join('\r\n');
export const KEPT = get('/kept');

/** Sends and waits until nothing more comes. */
export class Asker {
  private text = '';
  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true).on('data', (part) => {
      this.text += part.toString('latin1');
    });
  }
  static async connect(port: number): Promise<Asker> {
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Asker(socket);
  }
  /** In one piece each; what was answered to all of them, until nothing more comes: for longer where it comes late. */
  async send(...pieces: string[]): Promise<string> {
    const quiet = pieces.some((piece) => piece.includes('/late')) ? 400 : 60;
    this.text = '';
    for (const piece of pieces) {
      this.socket.write(piece, 'latin1');
      await sleep(15);
    }
    for (let before = -1; before !== this.text.length; await sleep(quiet)) before = this.text.length;
    return this.text;
  }
  /** The bodies alone. */
  async bodies(...pieces: string[]): Promise<string[]> {
    const found: string[] = [];
    for (let rest = await this.send(...pieces); rest !== ''; ) {
      const from = rest.indexOf('\r\n\r\n') + 4;
      const length = /Content-Length: (\d+)/.exec(rest)?.[1];
      assert.ok(length !== undefined, rest);
      const to = from + Number(length);
      found.push(rest.slice(from, to).trim());
      rest = rest.slice(to);
    }
    return found;
  }
}

const heads = new Map<string, string[]>();
const headOf = (body: string): string[] => {
  let head = heads.get(body);
  if (!head) {
    head = ['X-Kept', 'yes', 'Content-Length', String(Buffer.byteLength(body))];
    heads.set(body, head);
  }
  return head;
};

async function made(url: string): Promise<Outgoing> {
  if (/late|wrong/.test(url)) await sleep(url.includes('very') ? 600 : 40);
  if (url.includes('wrong')) throw new Error('wrong');
  const body = new Bytes(['made ', url].map((text) => Buffer.from(text)));
  return { status: 200, headers: { 'Content-Length': String(body.length) }, body };
}

/**
 * A real server on real sockets. What begins with `/kept` is kept; `/late` is answered after a while; everything else
 * at once, and is not kept. The body says what was read: by the engine (`read`), or known by its bytes (`known`). What
 * begins with `/plain` is not kept, and made without the engine (`made`): `/plain/late` after a while, `/plain/wrong` not.
 */
export async function startRepeating() {
  const server = createServer();
  server.keepAliveTimeout = 9_000;
  const is = { leaving: false, recalling: true };
  const noted: string[] = [];
  const repeats = new Repeats(server, {
    understood: ({ headers, rawHeaders }) => ({ headers, rawHeaders, beside: '' }),
    read: ({ url = '' }) =>
      url.startsWith('/plain') ? { answer: made(url), note: (status) => noted.push(`${status} ${url}`) } : undefined,
    recall: ({ url, headers }) => {
      if (!is.recalling || !url.startsWith('/kept')) return undefined;
      if (headers['if-none-match'] !== undefined) return { status: 304, head: headOf('none'), body: undefined };
      const body = url === '/kept/large' ? 'x'.repeat(LARGE) : `known ${url} ${headers['x-said'] ?? ''}`;
      return { status: 200, head: headOf(body), body: new Bytes([Buffer.from(body)]) };
    },
    isLeaving: () => is.leaving,
  });
  server.on('request', (request, response) => {
    if (is.leaving) response.shouldKeepAlive = false;
    repeats.parsed(request);
    const { failed } = repeats;
    const { method, url = '', headers } = request;
    let sent = failed ? ` after ${failed.error}` : '';
    request.on('data', (part) => {
      sent += part;
    });
    const end = (): void => {
      const body = `read ${method} ${url} ${headers['x-said'] ?? ''}${sent}`;
      response.writeHead(200, headOf(body)).end(body);
      if (url.startsWith('/plain')) repeats.answered(request, response);
    };
    if (url.startsWith('/late')) setTimeout(end, 100);
    else if (method === 'POST') request.on('end', end);
    else end();
    if (url.startsWith('/kept')) repeats.answered(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = (): Promise<Asker> => Asker.connect(port);
  return {
    server,
    repeats,
    is,
    noted,
    connect,
    /** Connected, and known to repeat itself. */
    async regular(...known: string[]): Promise<Asker> {
      const asker = await connect();
      for (const one of [KEPT, KEPT, KEPT, ...known]) await asker.bodies(one);
      assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
      return asker;
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type Repeating = Awaited<ReturnType<typeof startRepeating>>;
