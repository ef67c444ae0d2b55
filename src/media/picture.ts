import type Sharp from 'sharp';
import { Failure } from '../errors.js';

/** Pictures are decoded, turned upright, stripped of metadata (above all the location) and encoded again. */
export interface Limits {
  bytes: number;
  pixels: number;
}

export interface File {
  /** '' for the picture itself. */
  size: string;
  data: Buffer;
  width: number;
  height: number;
}

export interface Picture {
  extension: string;
  mime: string;
  /** The picture itself, then its smaller sizes. */
  files: [File, ...File[]];
}

type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif';
const EXTENSION: Record<Format, string> = { jpeg: 'jpg', png: 'png', webp: 'webp', gif: 'gif', avif: 'avif' };

/** The sizes that sites with this API have: a square, and widths for small, medium, large and high-density screens. */
const SIZES: { name: string; width: number; height?: number; square?: true }[] = [
  { name: 'medium', width: 300, height: 300 },
  { name: 'large', width: 1024, height: 1024 },
  { name: 'thumbnail', width: 150, height: 150, square: true },
  { name: 'medium_large', width: 768 },
  { name: '1536x1536', width: 1536, height: 1536 },
  { name: '2048x2048', width: 2048, height: 2048 },
];

let loaded: Promise<typeof Sharp> | undefined;

/** Loaded with the first picture. One thread and no cache, because pictures take much memory. */
function library(): Promise<typeof Sharp> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loaded;
}

let last: Promise<unknown> = Promise.resolve();

/** Throws if it is not a picture that can be stored. One at a time: a small file can hold a very large picture. */
export function readPicture(bytes: Buffer, limits: Limits): Promise<Picture> {
  const read = last.then(() => decode(bytes, limits));
  last = read.catch(() => undefined);
  return read;
}

const shownBytes = (bytes: number): string =>
  bytes >= 1024 ** 2 ? `${Number((bytes / 1024 ** 2).toFixed(1))} MB` : `${Number((bytes / 1024).toFixed(1))} kB`;
export const tooManyBytes = (most: number): Failure =>
  new Failure('media-too-large', { values: { most: shownBytes(most) } });

async function decode(bytes: Buffer, limits: Limits): Promise<Picture> {
  if (bytes.length === 0) throw new Failure('bad-request', { variant: 'empty-file' });
  if (bytes.length > limits.bytes) throw tooManyBytes(limits.bytes);
  try {
    const kind = await kindOf(bytes, limits);
    const { format } = kind;
    const full = await encode(bytes, kind, limits);
    const files: Picture['files'] = [{ size: '', ...full }];
    for (const { name, width, height, square } of SIZES) {
      if (full.width <= width && full.height <= (height ?? Number.POSITIVE_INFINITY)) continue;
      files.push({ size: name, ...(await encode(bytes, kind, limits, { width, height, square })) });
    }
    return { extension: EXTENSION[format], mime: `image/${format}`, files };
  } catch (error) {
    // Broken, or crafted to break the decoder: either way not a picture.
    throw error instanceof Failure ? error : new Failure('media-type', { cause: error });
  }
}

/** JPEG, PNG, GIF, WebP, AVIF. */
const HEADS = [/^\xff\xd8\xff/, /^\x89PNG/, /^GIF8/, /^RIFF.{4}WEBP/s, /^.{4}ftyp(avif|avis|mif1)/s];
const MOST_SECONDS = 20;

interface Kind {
  format: Format;
  /** It is to be shown turned or mirrored. */
  isTurned: boolean;
}

async function kindOf(bytes: Buffer, { pixels }: Limits): Promise<Kind> {
  // Other formats are not even passed to the library: some of its decoders are whole programs.
  if (!HEADS.some((head) => head.test(bytes.toString('latin1', 0, 16)))) throw new Failure('media-type');
  const sharp = await library();
  // Reads only the header; the library's limit is off, so that the error can state ours.
  const read = await sharp(bytes, { limitInputPixels: false }).metadata();
  const { format, width, height, pages, compression, orientation = 1 } = read;
  const name = format === 'heif' && compression === 'av1' ? 'avif' : format;
  if (name === undefined || !Object.hasOwn(EXTENSION, name) || !width || !height) throw new Failure('media-type');
  // Animated GIFs are held in memory with all frames, and AVIF takes ten times as long: both may have fewer pixels.
  const most = name === 'gif' || name === 'avif' ? Math.floor(pixels / 5) : pixels;
  if (width * height * (pages ?? 1) > most)
    throw new Failure('media-too-large', { variant: 'pixels', values: { most } });
  return { format: name as Format, isTurned: orientation > 1 };
}

async function encode(
  bytes: Buffer,
  { format, isTurned }: Kind,
  { pixels }: Limits,
  to?: { width: number; height?: number | undefined; square?: true | undefined },
): Promise<Omit<File, 'size'>> {
  const sharp = await library();
  // Smaller sizes are not animated, and the library cannot turn all frames of a picture.
  const animated = to === undefined && !isTurned && (format === 'gif' || format === 'webp');
  let image = sharp(bytes, { limitInputPixels: pixels, animated, failOn: 'error' }).rotate();
  if (to) image = image.resize(to.width, to.height, { fit: to.square ? 'cover' : 'inside', withoutEnlargement: true });
  const { data, info } = await image
    .timeout({ seconds: MOST_SECONDS })
    .toFormat(format, format === 'avif' ? { effort: 0 } : {})
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.pageHeight ?? info.height };
}
