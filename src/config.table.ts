import { mediaUrl } from './config.media.js';
import * as read from './config.values.js';

/** The configuration at start. Read once, by `readConfig`; nothing else looks at the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly databaseReplicaUrls: readonly string[];
  readonly databaseConnections: number;
  readonly mediaUrl: string;
  readonly awsAccessKeyId: string | undefined;
  readonly awsSecretAccessKey: string | undefined;
  readonly publicUrl: string | undefined;
  readonly apiRoot: string;
  readonly vendor: string;
  readonly aliases: readonly string[];
  readonly timezone: string;
  readonly language: string;
  readonly siteName: string;
  readonly siteDescription: string;
  readonly currencySymbol: string;
  readonly currencyCode: string;
  readonly perPage: number;
  readonly perPageMax: number;
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly bodyLimit: number;
  readonly mediaLimit: number;
  readonly mediaPixels: number;
  readonly fetchAllow: readonly string[];
  readonly fetchTimeout: number;
  readonly signInLimit: number;
  readonly writeLimit: number;
  readonly memory: string;
  readonly requestTimeout: number;
  readonly logLevel: string;
}
export type Key = keyof Config;

export interface Row<K extends Key> {
  env: string;
  fallback?: string;
  shown?: string;
  secret?: true | 'whole';
  mayBeEmpty?: true;
  read: read.Reader<Config[K]>;
  description: string;
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Every setting, in the order in which people look for them. */
export const TABLE: { [K in Key]: Row<K> } = {
  host: {
    env: 'HOST',
    fallback: '127.0.0.1',
    read: read.host,
    description: 'Address to listen on; 0.0.0.0 or :: for all network interfaces.',
  },
  port: {
    env: 'PORT',
    fallback: '3000',
    read: read.whole(0, 65_535),
    description: 'Port to listen on; 0 chooses any free port.',
  },
  workers: {
    env: 'KALENDS_WORKERS',
    fallback: '1',
    read: read.workers,
    description: 'Number of processes that serve the port; auto for one per CPU core.',
  },
  dataDir: {
    env: 'KALENDS_DATA_DIR',
    fallback: './data',
    read: read.words(4000),
    description: 'Folder for the database and images; created if missing.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    shown: 'kalends.db in the data folder',
    secret: true,
    read: read.databaseUrl,
    description:
      'Database: sqlite:/path/to/file, a plain path, or postgres://user:password@host:5432/database (several hosts, separated by commas, are tried in turn).',
  },
  databaseReplicaUrls: {
    env: 'DATABASE_REPLICA_URLS',
    fallback: '',
    shown: 'none',
    secret: true,
    mayBeEmpty: true,
    read: read.replicaUrls,
    description:
      'Replicas of the PostgreSQL database: URLs separated by spaces or commas. They serve requests without credentials.',
  },
  databaseConnections: {
    env: 'DATABASE_CONNECTIONS',
    fallback: '10',
    read: read.whole(2, 1000),
    description: 'Maximum number of PostgreSQL connections per process.',
  },
  mediaUrl: {
    env: 'KALENDS_MEDIA_URL',
    shown: 'media in the data folder',
    secret: true,
    read: mediaUrl,
    description:
      'Where image files are stored: a folder, or s3://bucket/prefix?endpoint=https://host&region=name (see docs/pictures.md).',
  },
  awsAccessKeyId: {
    env: 'AWS_ACCESS_KEY_ID',
    shown: 'none',
    secret: 'whole',
    read: read.words(200),
    description: 'Access key ID of the object store for images.',
  },
  awsSecretAccessKey: {
    env: 'AWS_SECRET_ACCESS_KEY',
    shown: 'none',
    secret: 'whole',
    read: read.words(200),
    description: 'Secret access key; set it in the environment rather than with a flag.',
  },
  publicUrl: {
    env: 'KALENDS_PUBLIC_URL',
    shown: 'the address it listens on',
    read: read.publicUrl,
    description: 'Public URL of the service; links in responses begin with it.',
  },
  apiRoot: {
    env: 'KALENDS_API_ROOT',
    fallback: '/api',
    read: read.absolutePath(1, '/api'),
    description: 'Path below which the API is served.',
  },
  vendor: {
    env: 'KALENDS_VENDOR',
    fallback: 'calendar',
    read: read.segment,
    description: 'First part of the namespace: the API is at {api root}/{vendor}/events/v1.',
  },
  aliases: {
    env: 'KALENDS_ALIASES',
    fallback: '/wp-json/tribe/events/v1',
    mayBeEmpty: true,
    read: read.each(read.absolutePath(3, '/wp-json/tribe/events/v1')),
    description: 'Additional paths for the API, separated by commas; empty for none.',
  },
  timezone: {
    env: 'KALENDS_TIMEZONE',
    fallback: 'UTC',
    read: read.timezone,
    description: 'Time zone of the site, such as Europe/Berlin.',
  },
  language: {
    env: 'KALENDS_LANGUAGE',
    fallback: 'en',
    read: read.language,
    description: 'Language if neither the URL nor the Accept-Language header chooses one.',
  },
  siteName: { env: 'KALENDS_SITE_NAME', fallback: 'Kalends', read: read.words(200), description: 'Name of the site.' },
  siteDescription: {
    env: 'KALENDS_SITE_DESCRIPTION',
    fallback: '',
    shown: 'empty',
    mayBeEmpty: true,
    read: read.words(1000),
    description: 'One-line description of the site.',
  },
  currencySymbol: {
    env: 'KALENDS_CURRENCY_SYMBOL',
    fallback: '$',
    read: read.words(10),
    description: 'Currency symbol for prices without one.',
  },
  currencyCode: {
    env: 'KALENDS_CURRENCY_CODE',
    fallback: 'USD',
    read: read.currencyCode,
    description: 'Currency code for prices without one.',
  },
  perPage: {
    env: 'KALENDS_PER_PAGE',
    fallback: '10',
    read: read.whole(1, 1000),
    description: 'Records per page unless the request specifies a number.',
  },
  perPageMax: {
    env: 'KALENDS_PER_PAGE_MAX',
    fallback: '50',
    read: read.whole(1, 1000),
    description: 'Maximum number of records per page.',
  },
  allowedOrigins: {
    env: 'KALENDS_ALLOWED_ORIGINS',
    fallback: '',
    shown: 'none',
    mayBeEmpty: true,
    read: read.each(read.origin),
    description:
      'Other origins that may send credentials, separated by commas: https://example.org, or capacitor://localhost for an app.',
  },
  trustedProxies: {
    env: 'KALENDS_TRUSTED_PROXIES',
    fallback: '',
    shown: 'none',
    mayBeEmpty: true,
    read: read.each(read.proxy),
    description: 'IP addresses or ranges whose X-Forwarded-* headers are trusted, separated by commas.',
  },
  bodyLimit: {
    env: 'KALENDS_BODY_LIMIT',
    fallback: '1m',
    read: read.bytes,
    description: 'Maximum size of a request body: bytes, or with k or m.',
  },
  mediaLimit: {
    env: 'KALENDS_MEDIA_LIMIT',
    fallback: '10m',
    read: read.bytes,
    description: 'Maximum size of an uploaded or fetched image: bytes, or with k or m.',
  },
  mediaPixels: {
    env: 'KALENDS_MEDIA_PIXELS',
    fallback: '50000000',
    read: read.whole(1, 1_000_000_000),
    description: 'Maximum number of pixels in an image, all frames together; for GIF and AVIF, a fifth of that.',
  },
  fetchAllow: {
    env: 'KALENDS_FETCH_ALLOW',
    fallback: '',
    shown: 'none',
    mayBeEmpty: true,
    read: read.each(read.hostAndPort),
    description: 'Non-public hosts (host or host:port) from which images may be fetched, separated by commas.',
  },
  fetchTimeout: {
    env: 'KALENDS_FETCH_TIMEOUT',
    fallback: '20',
    read: read.whole(1, 600),
    description: 'Total seconds for fetching all images of one write.',
  },
  signInLimit: {
    env: 'KALENDS_SIGN_IN_LIMIT',
    fallback: '200',
    read: read.whole(0, 1_000_000),
    description:
      'Wrong credentials allowed per IP address and user name in 15 minutes, and wrong event passwords per IP address over all events; 0 for no limit.',
  },
  writeLimit: {
    env: 'KALENDS_WRITE_LIMIT',
    fallback: '120000',
    read: read.whole(0, 100_000_000),
    description: 'Writes allowed per caller per minute; 0 for no limit.',
  },
  memory: {
    env: 'KALENDS_MEMORY',
    fallback: 'on',
    read: read.oneOf(['on', 'off']),
    description: 'In-memory cache: on, or off to build every response from the database.',
  },
  requestTimeout: {
    env: 'KALENDS_REQUEST_TIMEOUT',
    fallback: '30',
    read: read.whole(1, 3600),
    description: 'Seconds a client may take to send a request.',
  },
  logLevel: {
    env: 'KALENDS_LOG_LEVEL',
    fallback: 'info',
    read: read.oneOf(LEVELS),
    description: `Log level: ${LEVELS.join(', ')}.`,
  },
};
