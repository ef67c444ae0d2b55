import type { Asked, Step } from './fuzz.request.js';
import type { Random } from './random.js';
import { API } from './site.js';

/** Bytes that are hardly HTTP, or not at all, each on a connection of its own. */

const now = (data: Buffer | string, end?: Step['end']): Step[] => [
  { after: 0, data: typeof data === 'string' ? Buffer.from(data, 'latin1') : data, ...(end ? { end } : {}) },
];
const GET = `GET ${API}/events HTTP/1.1\r\nHost: localhost\r\n`;
const POST = `POST ${API}/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;

const LINES = [
  'GET',
  'GET /',
  'GET / HTTP',
  'GET / HTTP/1.1',
  'GET / HTTP/1.0',
  'GET / HTTP/9.9',
  'GET / HTTP/2.0',
  'GET / HTTP/0.9',
  'get / HTTP/1.1',
  'G\0T / HTTP/1.1',
  ' GET / HTTP/1.1',
  'GET  /  HTTP/1.1',
  'GET /a b HTTP/1.1',
  'GET http://evil.example/ HTTP/1.1',
  'GET //evil.example/ HTTP/1.1',
  'GET evil HTTP/1.1',
  'GET ? HTTP/1.1',
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT evil.example:443 HTTP/1.1',
  'PRI * HTTP/2.0',
  'GET /\xff\xfe HTTP/1.1',
  'GET /%\0 HTTP/1.1',
  `${'A'.repeat(300)} / HTTP/1.1`,
  'GET /\r HTTP/1.1',
  'SSH-2.0-OpenSSH_9.0',
  '{"json":"alone"}',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
];
const HEADERS = [
  'no colon',
  ': empty name',
  'Na me: x',
  'X: \0',
  'X: a\rb',
  ' folded: x',
  'X: a\r\n folded',
  'Content-Length: -1',
  'Content-Length: 1e3',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding:\x0bchunked',
  'Host: a\r\nHost: b',
  `X: ${'x'.repeat(20_000)}`,
  `${'x'.repeat(20_000)}: x`,
  `Cookie: ${'a=b;'.repeat(5000)}`,
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAA',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x',
  'Expect: 100-continue\r\nContent-Length: 10',
  'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 0',
  'Content-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n\x1f\x8b',
];
const CHUNKS = [
  'zz\r\nabc\r\n0\r\n\r\n',
  '-1\r\nabc\r\n',
  'FFFFFFFFFFFFFFFF\r\nabc\r\n',
  '3;ext="x\r\nabc\r\n0\r\n\r\n',
  `3;${'e'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`,
  '3\nabc\n0\n\n',
  '3\r\nabcdef\r\n0\r\n\r\n',
  '2\r\n{}\r\n0\r\nTrailer: x\r\n\r\n',
  `2\r\n{}\r\n0\r\n${'X: y\r\n'.repeat(3000)}\r\n`,
  '0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n',
  `${'1\r\n{\r\n'.repeat(3000)}0\r\n\r\n`,
];

const KINDS: Record<string, (random: Random) => Step[]> = {
  line: (random) => now(`${random.pick(LINES)}\r\nHost: localhost\r\n\r\n`),
  lineAlone: (random) => now(`${random.pick(LINES)}${random.pick(['\r\n\r\n', '\n\n', '\r\r', ''])}`, 'half'),
  header: (random) => now(`${random.chance(0.5) ? GET : POST}${random.pick(HEADERS)}\r\n\r\n`, 'half'),
  flood: (random) => now(`${GET}${'X-A: b\r\n'.repeat(random.pick([100, 1500, 3000]))}\r\n`),
  longAddress: (random) =>
    now(`GET ${API}/events?${'a=b&'.repeat(random.pick([2000, 5000, 20_000]))} HTTP/1.1\r\nHost: x\r\n\r\n`),
  chunks: (random) => now(`${POST}Transfer-Encoding: chunked\r\n\r\n${random.pick(CHUNKS)}`, 'half'),
  noise: (random) => now(random.bytes(random.int(1, 400)), random.pick(['half', 'close'] as const)),
  noiseAfter: (random) => now(Buffer.concat([Buffer.from(`${GET}\r\n`), random.bytes(random.int(1, 200))]), 'half'),
  flipped: (random) => {
    const data = Buffer.from(`${POST}Content-Length: 15\r\nAccept: */*\r\n\r\n{"title":"abc"}`);
    for (let n = random.int(1, 5); n > 0; n--) data[random.int(0, data.length - 1)] = random.int(0, 255);
    return now(data, 'half');
  },
  early: (random) =>
    now(
      `${POST}Content-Length: ${random.pick([10, 1000, 900_000])}\r\n\r\n{"title":`,
      random.pick(['half', 'close'] as const),
    ),
  gone: () => now(`${GET}\r\n`, 'close'),
  empty: (random) => now('', random.pick(['half', 'close'] as const)),
  tooMuch: () => now(`${POST}Content-Length: 15\r\n\r\n{"title":"abc"}trailing nonsense`, 'half'),
  pipeline: (random) =>
    now(
      `${`${GET}\r\n`.repeat(random.int(2, 12))}${GET}Connection: close\r\n\r\n`,
      random.chance(0.3) ? 'close' : 'half',
    ),
  slow: (random) => {
    const text = `${POST}Content-Length: 15\r\n\r\n{"title":"abc"}`;
    const from = random.int(0, text.length - 12);
    const steps: Step[] = [{ after: 0, data: Buffer.from(text.slice(0, from), 'latin1') }];
    for (let at = from; at < from + 12; at++)
      steps.push({ after: 25, data: Buffer.from(text.slice(at, at + 1), 'latin1') });
    steps.push({ after: 25, data: Buffer.from(text.slice(from + 12), 'latin1'), end: 'half' });
    return steps;
  },
};
const NAMES = Object.keys(KINDS);

export function rawBytes(random: Random): Asked {
  const name = random.pick(NAMES);
  // The address tells people what was sent; nothing of it is sent itself.
  return {
    kind: 'raw',
    method: 'RAW',
    target: name,
    headers: [],
    raw: (KINDS[name] as (random: Random) => Step[])(random),
  };
}
