import { is, not, publicUrl, type Reader } from './config.values.js';

/** Where the files of pictures are: a folder, or a bucket of an object store with the S3 API. */
export type MediaPlace = { folder: string } | BucketPlace;

export interface BucketPlace {
  bucket: string;
  /** Precedes every key; '' for none. */
  prefix: string;
  /** The URL of the bucket's root. */
  address: string;
  region: string;
  /** How long one request may take, retries included. */
  seconds: number;
}

const S3_FORM = 's3://bucket/prefix?endpoint=https://host&region=name';
const OPTIONS = ['endpoint', 'region', 'timeout'];

export const mediaPlace: Reader<MediaPlace> = (text) => {
  if (/\p{Cc}/u.test(text)) return not('must be one line');
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 's3') return bucketPlace(text);
  if (scheme !== undefined && scheme !== 'file')
    return not(`names a kind of storage that is not supported. Use the path of a folder, or ${S3_FORM}`);
  const folder = text.replace(/^file:(\/\/)?/i, '');
  return folder === '' || /^\/+$/.test(folder) ? not('must name a folder') : is({ folder });
};

function bucketPlace(text: string): ReturnType<Reader<BucketPlace>> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hash !== '' || url.port !== '') return not(`must look like ${S3_FORM}`);
  if (url.username !== '' || url.password !== '')
    return not('must not contain the keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
  const bucket = url.host;
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket)) return not(`must name a bucket: ${S3_FORM}`);
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  if (!/^([\w.-]+(\/[\w.-]+)*)?$/.test(prefix))
    return not('must have a prefix that contains only letters, digits and - . _ /');
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) return not(`has the unknown option "${unknown}"; the options are ${OPTIONS.join(', ')}`);
  const { endpoint = '', region = '', timeout = '10' } = Object.fromEntries(url.searchParams);
  if (!/^[\w-]*$/.test(region)) return not('must name a region such as eu-central-1');
  if (!/^\d{1,2}$/.test(timeout) || Number(timeout) < 1) return not('must have a timeout from 1 to 99 seconds');
  const address = bucketAddress(bucket, endpoint, region || 'us-east-1');
  if (address === undefined) return not('must have an endpoint that begins with https:// or http://');
  return is({ bucket, prefix, address, region: region || 'us-east-1', seconds: Number(timeout) });
}

/** Custom endpoints have the bucket in the path; Amazon has it in the host name, unless that breaks certificates. */
function bucketAddress(bucket: string, endpoint: string, region: string): string | undefined {
  if (endpoint === '' && !bucket.includes('.')) return `https://${bucket}.s3.${region}.amazonaws.com`;
  const base = endpoint === '' ? `https://s3.${region}.amazonaws.com` : endpoint;
  const read = publicUrl(base);
  return 'value' in read ? `${read.value}/${bucket}` : undefined;
}

export const mediaUrl: Reader<string> = (text) => {
  const place = mediaPlace(text);
  return 'problem' in place ? place : is(text);
};

interface MediaSettings {
  mediaUrl?: string;
  awsAccessKeyId: string | undefined;
  awsSecretAccessKey: string | undefined;
}

/** `name`: of the setting or option that holds the address. */
export const missingKeys = (
  { mediaUrl = '', awsAccessKeyId, awsSecretAccessKey }: MediaSettings,
  name = 'KALENDS_MEDIA_URL',
): string[] =>
  /^s3:/i.test(mediaUrl) && !(awsAccessKeyId && awsSecretAccessKey)
    ? [`${name} names an object store, which needs keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`]
    : [];
