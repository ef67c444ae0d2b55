import { LONE, TEXTS } from './fuzz.corpus.js';
import { DOT, idFor } from './fuzz.fixtures.js';
import { type Asked, baseOf, encoded, roleFor } from './fuzz.request.js';
import { anyText, hostile } from './fuzz.values.js';
import type { Random } from './random.js';

/** Good requests with something spoilt: bytes, syntax, types, headers, methods, addresses. */

const EVENT = {
  title: 'A good event',
  start_date: '2031-05-06 10:00:00',
  end_date: '2031-05-06 12:00:00',
  timezone: 'Europe/Berlin',
  description: '<p>Come all &amp; see</p>',
  cost: '5 - 20',
  website: 'https://example.com/a?b=c#d',
  categories: ['Music', { name: 'Jazz' }],
  tags: 'one, two',
  venue: { venue: 'Town hall', city: 'Ulm', geo_lat: 48.4, geo_lng: 9.99 },
  organizer: [{ organizer: 'The club', email: 'a@example.com' }],
  tickets: [{ name: 'Seat', price: 12.5, currency: 'EUR', capacity: 90 }],
  all_day: false,
};

interface Good {
  method: string;
  path: string;
  json?: Record<string, unknown>;
  picture?: true;
}
const GOOD: Good[] = [
  { method: 'POST', path: '/events', json: EVENT },
  { method: 'POST', path: '/events', json: EVENT },
  { method: 'PATCH', path: '/events/:id', json: { ...EVENT, title: 'Changed', status: 'draft' } },
  { method: 'PUT', path: '/events/by-slug/event-2', json: { excerpt: 'Short', sticky: true } },
  { method: 'POST', path: '/venues', json: { venue: 'Zoo', address: 'Road 1', zip: 12345, show_map: true } },
  { method: 'PATCH', path: '/venues/:id', json: { phone: '+49 1', geo_lat: 1, geo_lng: 2 } },
  { method: 'POST', path: '/organizers', json: { organizer: 'Ann', email: 'ann@example.com', website: '' } },
  { method: 'PATCH', path: '/organizers/:id', json: { description: 'x', status: 'pending' } },
  { method: 'POST', path: '/categories', json: { name: 'Folk', parent: 2, description: 'y' } },
  { method: 'PATCH', path: '/categories/:id', json: { name: 'Folk', parent: 0 } },
  { method: 'POST', path: '/tags', json: { name: 'open-air', slug: 'open-air' } },
  { method: 'DELETE', path: '/events/:id?force=true' },
  { method: 'DELETE', path: '/tags/:id' },
  { method: 'GET', path: '/events?per_page=5&start_date=2020-01-01&search=event&categories=music' },
  { method: 'GET', path: '/events/:id?_fields=id,title&context=edit' },
  { method: 'GET', path: '/venues?only_with_upcoming=true&search=hall' },
  { method: 'GET', path: '/users/me' },
  { method: 'GET', path: '/media' },
  { method: 'POST', path: '/media', picture: true },
  { method: 'PATCH', path: '/media/:id', json: { alt_text: 'A picture' } },
];

/** Small pictures, of every kind we read. */
const PICTURES: [type: string, data: Buffer][] = [
  ['image/png', DOT.toString('base64')],
  ['image/gif', 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'],
  ['image/webp', 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'],
  ['image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>').toString('base64')],
].map(([type = '', text = '']) => [type, Buffer.from(text, 'base64')]);

function good(random: Random, index: number): Asked {
  const { method, path, json, picture } = random.pick(GOOD);
  const id = idFor(random, path, index);
  const asked: Asked = {
    kind: 'mutation',
    method,
    target: baseOf(random) + path.replace(':id', String(id)),
    headers: [],
    as: roleFor(random, method !== 'GET'),
  };
  if (json) {
    asked.headers.push(['Content-Type', 'application/json']);
    asked.body = Buffer.from(JSON.stringify(json));
  }
  if (picture) {
    const [type, data] = random.pick(PICTURES);
    if (random.chance(0.5)) {
      asked.headers.push(['Content-Type', type]);
      asked.body = data;
    } else {
      asked.headers.push(['Content-Type', 'multipart/form-data; boundary=xyz']);
      const head = `--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: ${type}\r\n\r\n`;
      asked.body = Buffer.concat([Buffer.from(head), data, Buffer.from('\r\n--xyz--\r\n')]);
    }
  }
  return asked;
}

type Mutation = (asked: Asked, random: Random) => void;

const setHeader = (asked: Asked, name: string, value: string): void => {
  asked.headers = asked.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase());
  // What no parser takes as a header is the business of raw bytes.
  asked.headers.push([name, value.replace(/[\r\n\0]/g, ' ')]);
};
const latin = (text: string): string =>
  Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '');

/** Bytes of the body. */
const flip: Mutation = (asked, random) => {
  if (!asked.body?.length) return;
  const data = Buffer.from(asked.body);
  for (let n = random.int(1, 8); n > 0; n--) {
    const at = random.int(0, data.length - 1);
    data[at] = random.chance(0.5) ? (data[at] ?? 0) ^ (1 << random.int(0, 7)) : random.int(0, 255);
  }
  asked.body = data;
};
const cut: Mutation = (asked, random) => {
  if (asked.body?.length) asked.body = asked.body.subarray(0, random.int(0, asked.body.length - 1));
};
const insert: Mutation = (asked, random) => {
  const at = random.int(0, asked.body?.length ?? 0);
  const odd = random.pick([
    Buffer.from([0xff]),
    Buffer.from([0xc0, 0x80]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0xf4, 0x90, 0x80, 0x80]),
    Buffer.from([0xef, 0xbb, 0xbf]),
    Buffer.from([0]),
    Buffer.from('\\ud800'),
    Buffer.from('\\u0000'),
    Buffer.from('"__proto__":{"x":1},'),
    Buffer.from(',"title":1,"title":"twice"'),
    Buffer.from('1e99999'),
    Buffer.from('['.repeat(random.pick([10, 1000, 100_000]))),
    Buffer.from('{"a":'.repeat(random.pick([10, 1000, 50_000]))),
    random.bytes(random.int(1, 50)),
  ]);
  const body = asked.body ?? Buffer.alloc(0);
  asked.body = Buffer.concat([body.subarray(0, at), odd, body.subarray(at)]);
};
/** One value, anywhere in the JSON, becomes another. */
const replace: Mutation = (asked, random) => {
  const text = asked.body?.toString('utf8') ?? '';
  const places = [...text.matchAll(/(?<=:)("[^"]*"|[\d.]+|true|false|\{[^{}]*\}|\[[^[\]]*\])/g)];
  if (places.length === 0) return;
  const place = random.pick(places);
  const value = JSON.stringify(hostile(random)) ?? 'null';
  asked.body = Buffer.from(text.slice(0, place.index) + value + text.slice(place.index + place[0].length));
};
const whole: Mutation = (asked, random) => {
  asked.body = random.pick([
    Buffer.alloc(0),
    Buffer.from('null'),
    Buffer.from('[]'),
    Buffer.from('"text"'),
    Buffer.from('12'),
    Buffer.from(`[${'['.repeat(20_000)}`),
    Buffer.from(`${'[1,'.repeat(3000)}1${']'.repeat(3000)}`),
    Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`m${n}`, n])))),
    Buffer.from(JSON.stringify({ ...EVENT, title: random.pick(LONE) })),
    Buffer.from(JSON.stringify(EVENT), 'utf16le'),
    Buffer.from(`${'a[b]'.repeat(2000)}=1`),
    Buffer.from(Array.from({ length: 3000 }, (_, n) => `a${n}=1`).join('&')),
    Buffer.from(`title=${'%F0'.repeat(100)}&start_date=%ff%fe`),
    random.bytes(random.int(1, 300)),
  ]);
};
const huge: Mutation = (asked, random) => {
  if (!random.chance(0.1)) return;
  const size = random.pick([1_000_000, 1_048_576, 1_048_577, 1_500_000]);
  asked.body = Buffer.from(`{"title":"${'x'.repeat(size - 12)}"}`);
};

const TYPES = [
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1; charset=utf-8',
  'application/merge-patch+json',
  'application/jsonx',
  'text/plain',
  'text/html',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=windows-1252',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=xyz',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'multipart/mixed; boundary=xyz',
  'image/png',
  'image/svg+xml',
  'IMAGE/AVIF',
  '/',
  ';;;',
  '*/*',
  'a/b/c; d="e',
  '',
];
const AUTHORIZATION = [
  'Basic',
  'Basic ',
  'Basic !!!!',
  `Basic ${Buffer.from('admin').toString('base64')}`,
  `Basic ${Buffer.from('a:b:c').toString('base64')}`,
  `Basic ${Buffer.from('\0:\0').toString('base64')}`,
  `Basic ${Buffer.from(':').toString('base64')}`,
  `Basic ${'QQ'.repeat(3000)}`,
  'Bearer',
  'Bearer kal_',
  'Bearer kal_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'Bearer a.b.c',
  'Digest username="x"',
  'Negotiate xx==',
  ',',
];
const ODD_HEADERS: [string, string[]][] = [
  [
    'Accept-Language',
    ['de', 'xx-YY', ';;q=', 'de;q=1.1.1', '*', `${'a-'.repeat(2000)}`, 'en;q=NaN,de;q=-1', ',,,,', 'zh-Hant-TW'],
  ],
  ['If-None-Match', ['*', '"x"', 'W/"x"', '"', `${'"a",'.repeat(1500)}`, 'W/W/""']],
  ['Authorization', AUTHORIZATION],
  ['Content-Type', TYPES],
  ['X-HTTP-Method-Override', ['DELETE', 'PUT', 'get', 'TRACE', '', '__proto__', 'CONNECT']],
  ['Host', ['evil.example', 'localhost:99999', '[::1', 'a b', '\xff', '']],
  ['Origin', ['null', 'https://evil.example', '\xff', 'x'.repeat(3000)]],
  ['X-Forwarded-For', ['1.2.3.4', 'a, b, c', '::1,,', 'x'.repeat(3000)]],
  ['X-Forwarded-Host', ['evil.example', 'a,b', '[']],
  ['X-Forwarded-Proto', ['https', 'gopher']],
  ['Accept', ['text/html', 'application/xml;q=x', ';']],
  ['Accept-Encoding', ['gzip, br', 'identity;q=0', '*;q=0']],
  ['Content-Encoding', ['gzip', 'br', 'nonsense']],
  ['Range', ['bytes=0-', 'bytes=9-1', 'bytes=-99999999999']],
  ['Cookie', ['a=b', ';;;', '__proto__=x', 'k='.repeat(1000)]],
  ['If-Modified-Since', ['Mon, 99 Foo 2031 99:99:99 GMT', '0']],
  ['X-WP-Nonce', ['x']],
  ['Access-Control-Request-Headers', ['authorization', 'x'.repeat(2000)]],
  ['Connection', ['close', 'keep-alive, upgrade', 'x']],
  ['Upgrade', ['h2c', 'websocket']],
  ['Expect', ['100-continue', 'the-unexpected']],
  ['Idempotency-Key', ['x']],
  ['TE', ['trailers']],
];
const header: Mutation = (asked, random) => {
  const [name, values] = random.pick(ODD_HEADERS);
  const value = random.chance(0.8)
    ? random.pick(values)
    : latin(random.pick([anyText(random), ...TEXTS]).slice(0, 3000));
  if (name === 'Authorization') asked.as = undefined;
  if (name === 'Host' && random.chance(0.3)) asked.headers.push(['Host', 'twice']);
  setHeader(asked, name, value);
};
const method: Mutation = (asked, random) => {
  const wanted = random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get', 'TRACE', '__proto__']);
  if (random.chance(0.5) && /^[A-Z]+$/.test(wanted)) asked.method = wanted;
  else {
    asked.method = 'POST';
    asked.target += `${asked.target.includes('?') ? '&' : '?'}_method=${wanted}`;
  }
};
const address: Mutation = (asked, random) => {
  const at = random.int(1, asked.target.length);
  const odd = random.pick([
    '%',
    '%00',
    '%zz',
    '%ff',
    '//',
    '/..',
    '..;/',
    '%2e%2e%2f',
    '?',
    '&',
    '[]',
    '=',
    '\\',
    '%c0%af',
    '%u0041',
    '*',
    "'",
    encoded(anyText(random)).slice(0, 400),
  ]);
  asked.target = asked.target.slice(0, at) + odd + asked.target.slice(at + random.int(0, 2));
};

const MUTATIONS = { flip, cut, insert, replace, whole, huge, header, method, address };
const WEIGHTS = { flip: 14, cut: 8, insert: 12, replace: 25, whole: 5, huge: 3, header: 22, method: 6, address: 8 };

export function mutated(random: Random, index: number): Asked {
  const asked = good(random, index);
  for (let n = random.pick([1, 1, 1, 2, 3]); n > 0; n--) MUTATIONS[random.weighed(WEIGHTS)](asked, random);
  return asked;
}
