import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Dispatcher } from 'undici';
import type { BucketPlace } from '../config.media.js';
import { fromUtc } from '../time/clock.js';
import { type Files, isFileName, isListed, pathOf, unavailable } from './files.js';

/** A bucket in an object store with the S3 API: plain signed requests, limited in time and attempts. */
export interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
}

const MOST_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;
const MOST_CONNECTIONS = 64;

interface Ask {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Relative to the bucket. */
  key?: string;
  query?: Record<string, string>;
  body?: Buffer;
  type?: string;
}

export function filesInBucket(place: BucketPlace, keys: Keys): Files {
  const { bucket, prefix, address, region, seconds } = place;
  const named = `s3://${[bucket, prefix].filter((part) => part !== '').join('/')}`;
  const front = prefix === '' ? '' : `${prefix}/`;
  const keyOf = (name: string): string => front + pathOf(name);
  let connected: ReturnType<typeof connect> | undefined;
  /** Loaded at the first use, and only on sites with such a store. */
  async function connect() {
    const { Agent, request } = await import('undici');
    const timeout = seconds * 1000;
    const dispatcher = new Agent({ connections: MOST_CONNECTIONS, connect: { timeout }, bodyTimeout: timeout });
    return { dispatcher, request };
  }
  const signing = new Map<string, ArrayBuffer>();

  async function once({ method, key = '', query = {}, body, type }: Ask, until: number) {
    const signed = await new AwsV4Signer({
      ...keys,
      service: 's3',
      region,
      method,
      url: `${address}/${key}?${new URLSearchParams(query)}`.replace(/\?$/, ''),
      headers: {
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      cache: signing,
    }).sign();
    connected ??= connect();
    const { dispatcher, request } = await connected;
    // Until the response begins: its body may take longer, as long as data arrives (`bodyTimeout`).
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`${named} does not respond`)), until - performance.now());
    try {
      return await request(signed.url, {
        method,
        headers: Object.fromEntries(signed.headers),
        body: body ?? null,
        dispatcher,
        signal: late.signal,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Any response except those that indicate temporary trouble, which are retried. */
  async function ask(what: Ask): Promise<Dispatcher.ResponseData> {
    const until = performance.now() + seconds * 1000;
    for (let attempt = 1; ; attempt++) {
      let trouble: unknown;
      try {
        const answer = await once(what, until);
        if (answer.statusCode < 500 && answer.statusCode !== 429) return answer;
        trouble = await refusalOf(answer, what);
      } catch (error) {
        trouble = error;
      }
      // With jitter: requests that failed together should not all come back together.
      const pause = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
      if (attempt === MOST_ATTEMPTS || performance.now() + pause >= until) throw unavailable(trouble);
      await sleep(pause);
    }
  }

  async function refusalOf(answer: Dispatcher.ResponseData, { method }: Ask): Promise<Error> {
    const code = textIn(await answer.body.text(), 'Code') ?? '';
    return new Error(`${named} responded to ${method} with ${answer.statusCode} ${code}`.trim());
  }

  async function accepted(what: Ask, ...statuses: number[]): Promise<Dispatcher.ResponseData['body']> {
    const answer = await ask(what);
    if (!statuses.includes(answer.statusCode)) throw unavailable(await refusalOf(answer, what));
    return answer.body;
  }

  return {
    place: named,
    async put(name, data) {
      if (!isFileName(name)) throw new Error('Not the name of a stored file');
      // For operators who make the bucket public; the server itself takes the type from the row.
      const type = `image/${name.split('.').pop()?.replace('jpg', 'jpeg')}`;
      const body = await accepted({ method: 'PUT', key: keyOf(name), body: data, type }, 200, 201, 204);
      await body.dump();
    },
    async get(name) {
      if (!isFileName(name)) return undefined;
      const what: Ask = { method: 'GET', key: keyOf(name) };
      const answer = await ask(what);
      if (answer.statusCode === 200) return { size: Number(answer.headers['content-length']), body: answer.body };
      const refusal = await refusalOf(answer, what);
      // A missing bucket is not the same as a missing picture.
      if (answer.statusCode === 404 && !refusal.message.includes('NoSuchBucket')) return undefined;
      throw unavailable(refusal);
    },
    async remove(name) {
      const body = await accepted({ method: 'DELETE', key: keyOf(name) }, 200, 204, 404);
      await body.dump();
    },
    async *list() {
      let token: string | undefined;
      do {
        const query = {
          'list-type': '2',
          prefix: front,
          ...(token === undefined ? {} : { 'continuation-token': token }),
        };
        const page = await (await accepted({ method: 'GET', query }, 200)).text();
        for (const [, entry = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          const name = textIn(entry, 'Key')?.split('/').pop() ?? '';
          if (!isListed(name) || textIn(entry, 'Key') !== keyOf(name)) continue;
          const changedAt = fromUtc(textIn(entry, 'LastModified') ?? '');
          yield { name, size: Number(textIn(entry, 'Size')), changedAt };
        }
        token = textIn(page, 'IsTruncated') === 'true' ? textIn(page, 'NextContinuationToken') : undefined;
      } while (token !== undefined);
    },
  };
}

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' };

/** The text of an element. The few responses that are read here are flat lists of elements. */
const textIn = (xml: string, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]*)</${element}>`)
    .exec(xml)?.[1]
    ?.replace(/&(lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity);
