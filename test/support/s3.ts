import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** A real object store on this machine, and a line to it that can be disturbed. */

/**
 * `silent`: connections are taken, and nothing is answered; `failing`: 503 for everything; `cut`: answers end in the
 * middle; `down`: nobody listens.
 */
export type Line = 'good' | 'silent' | 'failing' | 'cut' | 'down';

export interface ObjectStore {
  /** Settings of a server that keeps its pictures there. */
  env: Record<string, string>;
  disturb(line: Line): Promise<void>;
  /** Where the store keeps what it was given, for tests that want it older or more of it. */
  folder: string;
  /** Requests since the last call, as 'PUT /bucket/key'. */
  asked(): string[];
  close(): Promise<void>;
}

const BUCKET = 'pictures';
const KEY = 'S3RVER';
const SECRET = 'S3RVER';

/** A process of its own: it makes the marks between pages with a cipher that Node gives out only when told to. */
async function startStore(directory: string): Promise<{ child: ChildProcess; port: number }> {
  const module = JSON.stringify(createRequire(import.meta.url).resolve('s3rver'));
  const options = { address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: BUCKET }] };
  const program = `new (require(${module}))(${JSON.stringify(options)}).run().then(({ port }) => console.log(port))`;
  const child = spawn(process.execPath, ['--openssl-legacy-provider', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, port: Number(said) };
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** S3rver looks at the name of the key only, so the signature (version 4, in the header) is verified here. */
function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const [, key, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').sort().join('&'),
    ...names.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const signing = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  const wanted = ['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.split(';').includes(name));
  return key === KEY && wanted && hmac(signing, text).toString('hex') === signature;
}

export async function startObjectStore({ timeout = 10, prefix = 'calendar' } = {}): Promise<ObjectStore> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'kalends-s3-'));
  const { child, port: behind } = await startStore(directory);
  let line: Line = 'good';
  let seen: string[] = [];

  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    seen.push(`${incoming.method} ${incoming.url}`);
    if (line === 'silent') return;
    const refuse = (status: number, code: string): void =>
      void outgoing.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    if (line === 'failing') return refuse(503, 'SlowDown');
    const body = Buffer.concat(await incoming.toArray());
    if (!isSigned(incoming, body)) return refuse(403, 'SignatureDoesNotMatch');
    const { method, url, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: behind, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (line !== 'cut') answer.pipe(outgoing);
      else
        answer.once('data', (part: Buffer) => {
          outgoing.write(part.subarray(0, part.length / 2), () => outgoing.destroy());
          answer.destroy();
        });
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  };
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    void forward(incoming, outgoing).catch(() => outgoing.destroy());

  let front: Server = createServer(answer);
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => front.once('error', reject).listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = front.address() as AddressInfo;
  const hangUp = async (): Promise<void> => {
    front.closeAllConnections();
    if (front.listening) await new Promise((resolve) => front.close(resolve));
  };

  return {
    folder: path.join(directory, BUCKET, prefix),
    env: {
      KALENDS_MEDIA_URL: `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${port}&timeout=${timeout}`,
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: SECRET,
    },
    async disturb(to) {
      if (line === 'silent') front.closeAllConnections();
      if (to === 'down') await hangUp();
      else if (line === 'down') {
        front = createServer(answer);
        await listen(port);
      }
      line = to;
    },
    asked() {
      const all = seen;
      seen = [];
      return all;
    },
    async close() {
      await hangUp();
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
