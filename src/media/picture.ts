import sharp from 'sharp';

/** Pictures: what was sent is read, turned upright, freed of metadata (location above all) and written anew. */
export interface Limits {
  bytes: number;
  pixels: number;
}

export interface File {
  /** '' is the picture itself. */
  size: string;
  data: Buffer;
  width: number;
  height: number;
}

export interface Picture {
  extension: string;
  mime: string;
  files: File[];
}

type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif';
const EXTENSION: Record<Format, string> = { jpeg: 'jpg', png: 'png', webp: 'webp', gif: 'gif', avif: 'avif' };

/** The sizes that sites of this interface have: a square, and widths for small, middling and large screens. */
const SIZES: { name: string; width: number; height?: number; square?: true }[] = [
  { name: 'medium', width: 300, height: 300 },
  { name: 'large', width: 1024, height: 1024 },
  { name: 'thumbnail', width: 150, height: 150, square: true },
  { name: 'medium_large', width: 768 },
];

// Several pictures at once would take the memory of the whole server.
sharp.concurrency(1);
sharp.cache(false);

let last: Promise<unknown> = Promise.resolve();

/** Undefined when it is no picture that can be stored. One at a time: a small file can hold a very large picture. */
export function readPicture(bytes: Buffer, limits: Limits): Promise<Picture | undefined> {
  const read = last.then(() => decode(bytes, limits));
  last = read;
  return read;
}

async function decode(bytes: Buffer, limits: Limits): Promise<Picture | undefined> {
  if (bytes.length === 0 || bytes.length > limits.bytes) return undefined;
  try {
    const format = await formatOf(bytes, limits);
    if (format === undefined) return undefined;
    const full = await encode(bytes, format, limits);
    const files: File[] = [{ size: '', ...full }];
    for (const { name, width, height, square } of SIZES) {
      if (full.width <= width && full.height <= (height ?? Number.POSITIVE_INFINITY)) continue;
      files.push({ size: name, ...(await encode(bytes, format, limits, { width, height, square })) });
    }
    return { extension: EXTENSION[format], mime: `image/${format}`, files };
  } catch {
    // Broken, or made to break the reader: either way no picture.
    return undefined;
  }
}

async function formatOf(bytes: Buffer, { pixels }: Limits): Promise<Format | undefined> {
  const { format, width, height, pages, compression } = await sharp(bytes, { limitInputPixels: pixels }).metadata();
  const name = format === 'heif' && compression === 'av1' ? 'avif' : format;
  if (name === undefined || !Object.hasOwn(EXTENSION, name) || !width || !height) return undefined;
  // Moving pictures are held whole, frame by frame, so they may have fewer pixels.
  const most = name === 'gif' ? pixels / 5 : pixels;
  return width * height * (pages ?? 1) <= most ? (name as Format) : undefined;
}

async function encode(
  bytes: Buffer,
  format: Format,
  { pixels }: Limits,
  to?: { width: number; height?: number | undefined; square?: true | undefined },
): Promise<Omit<File, 'size'>> {
  // Only the picture itself keeps moving.
  const animated = to === undefined && (format === 'gif' || format === 'webp');
  let image = sharp(bytes, { limitInputPixels: pixels, animated, failOn: 'error' }).rotate();
  if (to) image = image.resize(to.width, to.height, { fit: to.square ? 'cover' : 'inside', withoutEnlargement: true });
  const { data, info } = await image.toFormat(format).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.pageHeight ?? info.height };
}
