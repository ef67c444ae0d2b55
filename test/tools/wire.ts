import net from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** HTTP/1.1 by hand, so that every byte sent is ours, and an answer that ends too early is seen to. */

export interface Answer {
  status: number;
  headers: Map<string, string>;
  body: Buffer;
}

/** How an exchange ended that brought no whole answer. */
export class NoAnswer extends Error {
  constructor(
    readonly how: 'refused' | 'closed' | 'cut' | 'timeout' | 'garbage',
    readonly received: Buffer,
    detail = '',
  ) {
    super(detail === '' ? how : `${how} (${detail})`);
  }
}

const END = Buffer.from('\r\n\r\n');

function headOf(data: Buffer): { status: number; headers: Map<string, string>; size: number } | undefined | null {
  const at = data.indexOf(END);
  if (at < 0) return data.length > 262_144 ? null : undefined;
  const [first = '', ...lines] = data.toString('latin1', 0, at).split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) return null;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), headers, size: at + 4 };
}

/** The body of a chunked answer; undefined while it is not whole, null when it is none. */
function unchunked(data: Buffer, from: number): { body: Buffer; end: number } | undefined | null {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const line = data.indexOf('\r\n', at, 'latin1');
    if (line < 0) return undefined;
    const text = data.toString('latin1', at, line);
    if (!/^[0-9a-f]+$/i.test(text)) return null;
    const size = Number.parseInt(text, 16);
    if (data.length < line + 2 + size + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(parts), end: line + 4 };
    parts.push(data.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

/** The first answer in what was received: whole, not yet whole (undefined), or none at all (null). */
function parse(data: Buffer, head: boolean, ended: boolean): { answer: Answer; rest: Buffer } | undefined | null {
  const found = headOf(data);
  if (!found) return found;
  const { status, headers, size } = found;
  if (status < 200) return parse(data.subarray(size), head, ended);
  const answer = (body: Buffer, end: number) => ({ answer: { status, headers, body }, rest: data.subarray(end) });
  if (head || status === 204 || status === 304) return answer(Buffer.alloc(0), size);
  if (headers.get('transfer-encoding') === 'chunked') {
    const whole = unchunked(data, size);
    return whole && answer(whole.body, whole.end);
  }
  const length = headers.get('content-length');
  if (length === undefined) return ended ? answer(data.subarray(size), data.length) : undefined;
  const end = size + Number(length);
  return data.length >= end ? answer(data.subarray(size, end), end) : undefined;
}

/** One connection; one exchange at a time. It connects when needed, again when the other side has closed it. */
export class Line {
  private socket: net.Socket | undefined;
  private received: Buffer[] = [];
  private size = 0;
  private wanted = 0;
  private ended = false;
  private failed = '';
  private wake: () => void = () => {};

  constructor(
    private readonly port: number,
    private readonly patience = 15_000,
  ) {}

  /** Open, and good for one more request. */
  get open(): boolean {
    return this.socket !== undefined && !this.ended;
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }

  async connect(): Promise<void> {
    this.close();
    this.received = [];
    this.size = 0;
    this.ended = false;
    this.failed = '';
    const socket = net.connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    this.socket = socket;
    socket.on('data', (data) => {
      this.received.push(data);
      this.size += data.length;
      this.wake();
    });
    const over = (): void => {
      if (this.socket !== socket) return;
      this.ended = true;
      this.wake();
    };
    socket.on('end', over).on('close', over);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.on('error', (error: NodeJS.ErrnoException) => {
        this.failed = error.code ?? error.message;
        reject(new NoAnswer('refused', Buffer.alloc(0), this.failed));
      });
    });
  }

  write(data: Buffer | string): void {
    if (this.open) this.socket?.write(data);
  }

  /** No more from our side. */
  finish(): void {
    this.socket?.end();
  }

  async ask(request: Buffer, head = false): Promise<Answer> {
    if (!this.open) await this.connect();
    this.write(request);
    return this.answer(head);
  }

  async answer(head = false, patience = this.patience): Promise<Answer> {
    const until = performance.now() + patience;
    this.wanted = 0;
    for (;;) {
      if (this.size >= this.wanted || this.ended) {
        const data = this.all();
        const found = parse(data, head, this.ended);
        if (found) {
          this.received = found.rest.length > 0 ? [found.rest] : [];
          this.size = found.rest.length;
          if (found.answer.headers.get('connection') === 'close') this.close();
          return found.answer;
        }
        if (found === null) return this.give('garbage', data);
        if (this.ended) return this.give(data.length > 0 ? 'cut' : 'closed', data);
        this.wanted = wantedOf(data);
      }
      const left = until - performance.now();
      if (left <= 0) return this.give('timeout', this.all());
      await this.news(left);
    }
  }

  private all(): Buffer {
    const data = this.received.length === 1 ? (this.received[0] as Buffer) : Buffer.concat(this.received);
    this.received = [data];
    return data;
  }

  private give(how: NoAnswer['how'], data: Buffer): never {
    this.close();
    throw new NoAnswer(how, data, this.failed);
  }

  private news(patience: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patience);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** How much must have come before looking again is worth it. */
function wantedOf(data: Buffer): number {
  const found = headOf(data);
  const length = found?.headers.get('content-length');
  return found && found.status >= 200 && length !== undefined ? found.size + Number(length) : 0;
}

export interface Sent {
  method: string;
  target: string;
  /** Written as they are; Host and Content-Length are added when they are missing. */
  headers?: readonly (readonly [string, string])[];
  body?: Buffer | undefined;
}

export function bytesOf({ method, target, headers = [], body }: Sent): Buffer {
  const has = (name: string): boolean => headers.some(([one]) => one.toLowerCase() === name);
  let head = `${method} ${target} HTTP/1.1\r\n`;
  if (!has('host')) head += 'Host: localhost\r\n';
  for (const [name, value] of headers) head += `${name}: ${value}\r\n`;
  if (body && !has('content-length') && !has('transfer-encoding')) head += `Content-Length: ${body.length}\r\n`;
  const start = Buffer.from(`${head}\r\n`, 'latin1');
  return body ? Buffer.concat([start, body]) : start;
}

const DECODERS: Record<string, (body: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync };

export const jsonOf = ({ headers, body }: Answer): unknown => {
  try {
    const decoded = DECODERS[headers.get('content-encoding') ?? '']?.(body) ?? body;
    return JSON.parse(decoded.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** A JSON request, as our own runners send it. */
export const jsonRequest = (method: string, target: string, authorization?: string, body?: unknown): Buffer =>
  bytesOf({
    method,
    target,
    headers: [
      ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  });
