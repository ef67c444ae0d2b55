import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Left open for the next question. */
const agent = new http.Agent({ keepAlive: true });

type Body = string | Uint8Array;

/** The octets of a body, and what is told of them. */
async function told(content: Body | FormData): Promise<{ body: Body; headers: Record<string, string> }> {
  if (!(content instanceof FormData)) {
    return { body: content, headers: { 'content-length': String(Buffer.byteLength(content)) } };
  }
  const form = new Response(content);
  const type = form.headers.get('content-type') ?? '';
  const { body, headers } = await told(new Uint8Array(await form.arrayBuffer()));
  return { body, headers: { ...headers, 'content-type': type } };
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let n = 0; n < raw.length; n += 2) headers.append(raw[n] as string, raw[n + 1] as string);
  return headers;
}

const DECODED: Record<string, (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

function textOf(bytes: Buffer, encoding = 'identity'): string {
  const decoded = DECODED[encoding];
  if (!decoded) throw new Error(`${encoding} was not asked for`);
  return new TextDecoder().decode(bytes.length === 0 ? bytes : decoded(bytes));
}

/**
 * One question and its answer, at less cost than by `fetch`: tests ask a hundred thousand of them. Answers are compressed
 * for those alone who ask for it.
 */
export async function exchange(
  url: string,
  method: string,
  given: Record<string, string>,
  content?: Body | FormData,
): Promise<Answer> {
  const sent = content === undefined ? undefined : await told(content);
  const headers = { ...sent?.headers, ...given };
  const { answer, parts } = await new Promise<{ answer: http.IncomingMessage; parts: Buffer[] }>((resolve, reject) => {
    const asked = http.request(url, { method, headers, agent }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => resolve({ answer, parts }));
    });
    asked.on('error', reject);
    asked.end(sent?.body);
  });
  return {
    status: answer.statusCode as number,
    headers: headersOf(answer.rawHeaders),
    text: textOf(Buffer.concat(parts), answer.headers['content-encoding']),
  };
}
