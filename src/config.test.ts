import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { type Config, readConfig, SETTINGS, settingsAsMarkdown, shownValue } from './config.js';
import { mediaPlace } from './config.media.js';
import { TAKEN } from './config.paths.js';

function configOf(env: Record<string, string>, flags: Record<string, unknown> = {}): Config {
  const reading = readConfig(env, flags);
  assert.ok('config' in reading, JSON.stringify(reading));
  return reading.config;
}

function problemsOf(env: Record<string, string>, flags: Record<string, unknown> = {}): string[] {
  const reading = readConfig(env, flags);
  assert.ok('problems' in reading, 'expected problems');
  return reading.problems;
}

test('defaults', () => {
  assert.deepEqual(configOf({}), {
    host: '127.0.0.1',
    port: 3000,
    workers: 1,
    dataDir: './data',
    databaseUrl: 'sqlite:data/kalends.db',
    databaseReplicaUrls: [],
    databaseConnections: 10,
    mediaUrl: 'data/media',
    awsAccessKeyId: undefined,
    awsSecretAccessKey: undefined,
    publicUrl: undefined,
    apiRoot: '/api',
    vendor: 'calendar',
    aliases: ['/wp-json/tribe/events/v1'],
    timezone: 'UTC',
    language: 'en',
    siteName: 'Kalends',
    siteDescription: '',
    currencySymbol: '$',
    currencyCode: 'USD',
    perPage: 10,
    perPageMax: 50,
    allowedOrigins: [],
    trustedProxies: [],
    bodyLimit: 1_048_576,
    mediaLimit: 10_485_760,
    mediaPixels: 50_000_000,
    fetchAllow: [],
    fetchTimeout: 20,
    signInLimit: 200,
    writeLimit: 120_000,
    memory: 'on',
    requestTimeout: 30,
    logLevel: 'info',
  });
});

const good: [env: string, text: string, key: keyof Config, value: unknown][] = [
  ['HOST', '0.0.0.0', 'host', '0.0.0.0'],
  ['HOST', '[::1]', 'host', '::1'],
  ['HOST', 'localhost', 'host', 'localhost'],
  ['PORT', '0', 'port', 0],
  ['PORT', ' 8080 ', 'port', 8080],
  ['PORT', '', 'port', 3000],
  ['DATABASE_URL', 'sqlite:/var/lib/k.db', 'databaseUrl', 'sqlite:/var/lib/k.db'],
  ['DATABASE_URL', './k.db', 'databaseUrl', './k.db'],
  ['DATABASE_URL', 'postgres://u:p@a,b:6432/k', 'databaseUrl', 'postgres://u:p@a,b:6432/k'],
  // As hosting providers write them.
  ...[
    'sslmode=require&channel_binding=require&sslcrl=a&sslcrldir=b&sslsni=1&sslnegotiation=direct',
    'pgbouncer=true&pool_timeout=3&x=1&pool=5&idle_timeout=1&checkout_timeout=1&statement_limit=1&supa=a',
    'keepAlive=true&socket=a&load_balance=true&loginTimeout=1&ApplicationName=a&connectTimeout=1&hostaddr=::1',
    'search_path=a&role=b&options=c&passfile=d&statement_cache_size=0&sslinline=true&pool_mode=e&max=1',
  ].map((query): [string, string, keyof Config, string] => {
    const url = `postgres://h/k?${query}`;
    return ['DATABASE_URL', url, 'databaseUrl', url];
  }),
  ['KALENDS_WORKERS', '3', 'workers', 3],
  ['KALENDS_WORKERS', 'auto', 'workers', availableParallelism()],
  ['DATABASE_REPLICA_URLS', ' ', 'databaseReplicaUrls', []],
  ['KALENDS_DATA_DIR', '/srv/k', 'databaseUrl', 'sqlite:/srv/k/kalends.db'],
  ['KALENDS_DATA_DIR', '/srv/k', 'mediaUrl', '/srv/k/media'],
  ['KALENDS_MEDIA_URL', '/mnt/pictures', 'mediaUrl', '/mnt/pictures'],
  ['KALENDS_MEDIA_URL', 'file:///mnt/pictures', 'mediaUrl', 'file:///mnt/pictures'],
  ['KALENDS_PUBLIC_URL', 'https://Example.org/', 'publicUrl', 'https://example.org'],
  ['KALENDS_PUBLIC_URL', 'http://example.org:81/sub/', 'publicUrl', 'http://example.org:81/sub'],
  ['KALENDS_PUBLIC_URL', '', 'publicUrl', undefined],
  ['KALENDS_API_ROOT', '/wp-json/', 'apiRoot', '/wp-json'],
  ['KALENDS_VENDOR', 'tribe', 'vendor', 'tribe'],
  ['KALENDS_ALIASES', '', 'aliases', []],
  ['KALENDS_ALIASES', '/a/b/c, /x/y/z/v1/,/a/b/c', 'aliases', ['/a/b/c', '/x/y/z/v1']],
  ['KALENDS_ALIASES', '/api/calendar/events/v1', 'aliases', []],
  ['KALENDS_TIMEZONE', 'Europe/Berlin', 'timezone', 'Europe/Berlin'],
  ['KALENDS_TIMEZONE', 'UTC+5.5', 'timezone', 'UTC+5.5'],
  ['KALENDS_LANGUAGE', 'de_AT', 'language', 'de'],
  ['KALENDS_SITE_NAME', 'Café ☕', 'siteName', 'Café ☕'],
  ['KALENDS_CURRENCY_CODE', 'eur', 'currencyCode', 'EUR'],
  [
    'KALENDS_ALLOWED_ORIGINS',
    'https://a.org/, http://b.org:8080, capacitor://localhost',
    'allowedOrigins',
    ['https://a.org', 'http://b.org:8080', 'capacitor://localhost'],
  ],
  ['KALENDS_TRUSTED_PROXIES', '10.0.0.0/8, ::1, fd00::/8', 'trustedProxies', ['10.0.0.0/8', '::1', 'fd00::/8']],
  [
    'KALENDS_FETCH_ALLOW',
    'Old.example, 127.0.0.1:5200, [::1]:80, fd00::1',
    'fetchAllow',
    ['old.example', '127.0.0.1:5200', '[::1]:80', 'fd00::1'],
  ],
  ['KALENDS_TIMEZONE', 'europe/berlin', 'timezone', 'Europe/Berlin'],
  ['KALENDS_TIMEZONE', 'Asia/Calcutta', 'timezone', 'Asia/Calcutta'],
  ['KALENDS_BODY_LIMIT', '512k', 'bodyLimit', 524_288],
  ['KALENDS_BODY_LIMIT', '2MB', 'bodyLimit', 2_097_152],
  ['KALENDS_BODY_LIMIT', '2048', 'bodyLimit', 2048],
  ['KALENDS_LOG_LEVEL', 'Silent', 'logLevel', 'silent'],
];
for (const [env, text, key, value] of good) {
  test(`${env}=${text}`, () => assert.deepEqual(configOf({ [env]: text })[key], value));
}

const bad: [env: string, text: string, says: RegExp][] = [
  ['HOST', 'localhost:3000', /^HOST \(localhost:3000\) must be a host name.*PORT/],
  ['HOST', 'http://x', /^HOST /],
  ['PORT', '65536', /^PORT \(65536\) must be a whole number from 0 to 65535\.$/],
  ['PORT', '-1', /^PORT/],
  ['PORT', '80.5', /^PORT/],
  ['DATABASE_URL', 'postgres://u:geheim@h', /must name a database/],
  ['DATABASE_URL', 'postgres://a,b/k?prepare=false&sslmod=require', / sslmod, .* not known\. Did you mean sslmode\?$/],
  ['DATABASE_URL', 'postgres://h/k?SSLMODE=require', /Did you mean sslmode\?$/],
  ['DATABASE_URL', 'postgres://h/k?ssl_mode=require', /Did you mean sslmode\?$/],
  ['DATABASE_URL', 'postgres://h/k?sslrootcrt=a', /Did you mean sslrootcert\?$/],
  ['DATABASE_URL', 'postgres://h/k?prepared=false', /Did you mean prepare\?$/],
  ['KALENDS_WORKERS', '0', /from 1 to 256, or auto/],
  ['DATABASE_REPLICA_URLS', 'postgres://h/k', /needs a PostgreSQL database in DATABASE_URL/],
  ['DATABASE_REPLICA_URLS', 'sqlite:k.db', /has an entry that must look like postgres/],
  ['DATABASE_URL', 'mysql://h/db', /not supported/],
  ['DATABASE_URL', ':memory:', /must name a file/],
  ['DATABASE_URL', 'sqlite:', /must name a file/],
  ['DATABASE_URL', 'file:k.db?mode=ro', /must name a file/],
  ['KALENDS_MEDIA_URL', 'file:', /must name a folder/],
  ['KALENDS_MEDIA_URL', 'https://bucket.example', /kind of storage that is not supported.*s3:\/\/bucket/],
  ['KALENDS_MEDIA_URL', 's3://bucket', /names an object store, which needs keys.*AWS_ACCESS_KEY_ID/],
  ['KALENDS_MEDIA_URL', 's3:bucket', /must name a bucket/],
  ['KALENDS_MEDIA_URL', 's3://key:geheim@bucket', /must not contain the keys/],
  ['KALENDS_MEDIA_URL', 's3://bucket/a b', /prefix that contains only letters/],
  ['KALENDS_MEDIA_URL', 's3://bucket/../x?regoin=x', /option "regoin"; the options are endpoint, region, timeout/],
  ['KALENDS_MEDIA_URL', 's3://bucket?endpoint=host:9000', /endpoint that begins with https/],
  ['KALENDS_MEDIA_URL', 's3://bucket?timeout=0', /timeout from 1 to 99/],
  ['KALENDS_PUBLIC_URL', 'example.org', /must be a URL/],
  ['KALENDS_PUBLIC_URL', 'ftp://example.org', /must be a URL/],
  ['KALENDS_PUBLIC_URL', 'https://example.org/?a=1', /must be a URL/],
  ['KALENDS_API_ROOT', 'api', /must be a path/],
  ['KALENDS_API_ROOT', '/', /must be a path/],
  ['KALENDS_API_ROOT', '/a/../b', /must be a path/],
  [
    'KALENDS_API_ROOT',
    '/docs',
    /^KALENDS_API_ROOT \(\/docs\) cannot be used: Kalends needs \/docs for other pages\. Choose another path\.$/,
  ],
  ['KALENDS_API_ROOT', '/Media/x', /cannot be used: Kalends needs \/media for other pages/],
  ['KALENDS_API_ROOT', '/de', /cannot be used: \/de is a language prefix/],
  ['KALENDS_ALIASES', '/x/y/z,/metrics/a/b', /^KALENDS_ALIASES \(\/metrics\/a\/b\) cannot be used/],
  ['KALENDS_ALIASES', '/API/calendar/events/v1/a/b/c', /is below \/api\/calendar\/events\/v1/],
  ['KALENDS_VENDOR', 'a/b', /must be a single path segment/],
  ['KALENDS_ALIASES', '/a/b/c,/tribe/events', /entry "\/tribe\/events".*at least 3 segments/],
  ['KALENDS_TIMEZONE', 'Europe/Berln', /Did you mean Europe\/Berlin\?$/],
  ['KALENDS_TIMEZONE', 'Middle-earth', /Use a name such as/],
  ['KALENDS_LANGUAGE', 'xx', /must be one of en, de/],
  ['KALENDS_SITE_NAME', 'a\nb', /one line/],
  ['KALENDS_CURRENCY_CODE', '€', /three-letter/],
  ['KALENDS_PER_PAGE', '0', /from 1/],
  ['KALENDS_PER_PAGE', '51', /KALENDS_PER_PAGE_MAX \(50\) is less than KALENDS_PER_PAGE \(51\)/],
  ['KALENDS_ALLOWED_ORIGINS', '*', /is not needed/],
  ['KALENDS_ALLOWED_ORIGINS', 'https://a.org/path', /must be an origin/],
  ['KALENDS_ALLOWED_ORIGINS', 'capacitor://localhost/', /must be an origin/],
  ['KALENDS_ALLOWED_ORIGINS', 'file://', /must be an origin/],
  ['KALENDS_ALLOWED_ORIGINS', 'null', /must be an origin/],
  ['KALENDS_TRUSTED_PROXIES', '10.0.0.0/33', /must be an IP address or a range/],
  ['KALENDS_TRUSTED_PROXIES', 'proxy.local', /must be an IP address/],
  ['KALENDS_FETCH_ALLOW', 'http://old.example/', /must be a host or host:port/],
  ['KALENDS_FETCH_ALLOW', 'old.example, *.example', /entry "\*\.example".*must be a host/],
  ['KALENDS_FETCH_ALLOW', 'old.example:99999', /must be a host/],
  ['KALENDS_BODY_LIMIT', '1g', /must be a size/],
  ['KALENDS_BODY_LIMIT', '1', /must be a size/],
  ['KALENDS_REQUEST_TIMEOUT', '0', /from 1 to 3600/],
  ['KALENDS_LOG_LEVEL', 'loud', /must be one of fatal/],
];
for (const [env, text, says] of bad) {
  test(`${env}=${JSON.stringify(text)} is refused`, () => {
    const problems = problemsOf({ [env]: text });
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', says);
    assert.match(problems[0] ?? '', /[.?]$/);
  });
}

const typos: [name: string, says: string][] = [
  ['KALENDS_TIMEZON', 'KALENDS_TIMEZON is not known. Did you mean KALENDS_TIMEZONE?'],
  ['KALENDS_LANG', 'KALENDS_LANG is not known. Did you mean KALENDS_LANGUAGE?'],
  ['KALENDS_PORT', 'KALENDS_PORT is not known. Did you mean PORT?'],
  ['kalends_vendor', 'kalends_vendor is not known. Did you mean KALENDS_VENDOR?'],
  ['KALENDS_ZZZZ', 'KALENDS_ZZZZ is not known. Remove it, or see "kalends serve --help" for all settings.'],
];
for (const [name, says] of typos)
  test(`${name} is a typo`, () => assert.deepEqual(problemsOf({ [name]: 'UTC' }), [says]));

test('what a cluster sets for a service of our name is no mistake', () => {
  const beside = {
    KALENDS_SERVICE_HOST: '10.0.0.1',
    KALENDS_SERVICE_PORT: '3000',
    KALENDS_SERVICE_PORT_HTTP: '3000',
    KALENDS_PORT: 'tcp://10.0.0.1:3000',
    KALENDS_PORT_3000_TCP: 'tcp://10.0.0.1:3000',
    KALENDS_PORT_3000_TCP_ADDR: '10.0.0.1',
  };
  assert.equal(configOf(beside).port, configOf({}).port);
});

test('every problem is reported at once', () => {
  const problems = problemsOf({ PORT: 'x', KALENDS_TIMEZON: 'UTC', KALENDS_LOG_LEVEL: 'x' }, { vendor: 'a b' });
  assert.equal(problems.length, 4);
});

for (const url of [
  'https://u:geheim@h',
  'https://u:ge/heim@h',
  'https://u:ge@heim@h/',
  'https://:ge heim@h',
  'postgres://u:geheim@h',
])
  for (const env of ['DATABASE_URL', 'KALENDS_PUBLIC_URL', 'KALENDS_ALLOWED_ORIGINS', 'HOST', 'KALENDS_API_ROOT'])
    test(`no problem tells the password: ${env}=${url}`, () => {
      const problems = problemsOf({ [env]: url });
      assert.equal(problems.length, 1);
      assert.doesNotMatch(problems.join(), /ge|heim/);
    });

test('nothing else is at the paths that are taken, and all that are served are known', () => {
  const served = ['src/app.ts', 'src/http', 'src/web'].flatMap((at) =>
    statSync(at).isFile() ? [at] : readdirSync(at).map((name) => `${at}/${name}`),
  );
  const found = served
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [
      ...readFileSync(name, 'utf8').matchAll(/(?:app\.(?:get|post)(?:<.*>)?|text)\(\s*['`]\/([\w.-]+)/g),
      // Pages in a table.
      ...readFileSync(name, 'utf8').matchAll(/\{\s*path: '\/([\w.-]+)[^']*',\s*title: /g),
    ])
    .map(([, word]) => word)
    // The API may share this path with pages of records.
    .filter((word) => word !== 'event');
  assert.deepEqual([...new Set(found)].sort(), [...TAKEN].sort());
});

test('replicas are separated by blanks or commas, and may have several hosts each', () => {
  const env = {
    DATABASE_URL: 'postgres://a/k',
    DATABASE_REPLICA_URLS: 'postgres://u:x@b,c/k, postgresql://d/k postgres://e/k',
  };
  const config = configOf(env);
  assert.deepEqual(config.databaseReplicaUrls, ['postgres://u:x@b,c/k', 'postgresql://d/k', 'postgres://e/k']);
  const setting = SETTINGS.find(({ key }) => key === 'databaseReplicaUrls');
  assert.deepEqual(setting && shownValue(setting, config), [
    'postgres://u:***@b,c/k',
    'postgresql://d/k',
    'postgres://e/k',
  ]);
  assert.doesNotMatch(problemsOf({ ...env, DATABASE_REPLICA_URLS: 'postgres://u:geheim@b' }).join(), /geheim/);
});

test('flags win over the environment and are named in problems', () => {
  const reading = readConfig({ PORT: '1', HOST: '::1' }, { port: '2', 'per-page': 5 });
  assert.ok('config' in reading);
  assert.equal(reading.config.port, 2);
  assert.equal(reading.config.perPage, 5);
  assert.deepEqual(
    [reading.sources.port, reading.sources.host, reading.sources.vendor],
    ['flag', 'environment', 'default'],
  );
  assert.deepEqual(problemsOf({}, { port: 'x' }), ['--port (x) must be a whole number from 0 to 65535.']);
  assert.deepEqual(problemsOf({}, { port: '' }), ['--port needs a value.']);
  assert.deepEqual(configOf({}, { aliases: '' }).aliases, []);
});

test('the configuration cannot be changed', () => {
  const config = configOf({});
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.aliases));
});

test('other names in the environment are nobody’s business', () => {
  configOf({ PATH: '/bin', KALENDSX: '1', HOSTNAME: 'x' });
});

test('secrets are masked', () => {
  const setting = SETTINGS.find(({ key }) => key === 'databaseUrl');
  assert.ok(setting);
  const config = { ...configOf({}), databaseUrl: 'postgres://user:geheim@host/db' };
  assert.equal(shownValue(setting, config), 'postgres://user:***@host/db');
  for (const url of ['postgres://user:ge/h@eim@host/db', 'postgres://user@host/db?sslpassword=geheim&x=1'])
    assert.doesNotMatch(String(shownValue(setting, { ...config, databaseUrl: url })), /ge|eim/);
  const tricky = 'postgres://user:password@host:5432/database@geheim@host/db';
  assert.equal(shownValue(setting, { ...config, databaseUrl: tricky }), 'postgres://user:***@host/db');
});

test('where a bucket is', () => {
  for (const [text, address, prefix, region] of [
    ['s3://pictures', 'https://pictures.s3.us-east-1.amazonaws.com', '', 'us-east-1'],
    ['s3://pictures/a/b/?region=eu-west-3', 'https://pictures.s3.eu-west-3.amazonaws.com', 'a/b', 'eu-west-3'],
    [
      's3://pictures.example.org?region=eu-west-3',
      'https://s3.eu-west-3.amazonaws.com/pictures.example.org',
      '',
      'eu-west-3',
    ],
    ['s3://pictures/a?endpoint=http://minio:9000/', 'http://minio:9000/pictures', 'a', 'us-east-1'],
    [
      's3://pictures?endpoint=https://h.example/storage/s3&region=auto',
      'https://h.example/storage/s3/pictures',
      '',
      'auto',
    ],
  ] as const) {
    const place = mediaPlace(text);
    assert.deepEqual(place, { value: { bucket: text.split(/[/?]/)[2], prefix, address, region, seconds: 10 } });
  }
});

test('keys are hidden', () => {
  const config = configOf({ AWS_ACCESS_KEY_ID: 'name', AWS_SECRET_ACCESS_KEY: 'geheim' });
  const shown = SETTINGS.filter(({ key }) => key.startsWith('aws')).map((setting) => shownValue(setting, config));
  assert.deepEqual(shown, ['***', '***']);
  assert.doesNotMatch(problemsOf({ AWS_SECRET_ACCESS_KEY: 'geheim\nx' }).join(), /geheim/);
});

test('the table for the README has a row for each setting', () => {
  const lines = settingsAsMarkdown().split('\n');
  assert.equal(lines.length, SETTINGS.length + 2);
  assert.ok(lines.includes('| `PORT` | `--port` | `3000` | Port to listen on; 0 chooses any free port. |'));
  for (const line of lines) assert.equal(line.split('|').length, 6, line);
});
