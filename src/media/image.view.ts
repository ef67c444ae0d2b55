import type { ImageTable } from '../db/tables.js';
import type { ImageRecord } from './image.shape.js';

export type StoredSizes = Record<string, { width: number; height: number; filesize: number }>;

export const fileName = (image: Pick<ImageTable, 'file' | 'extension'>, size: string): string =>
  `${image.file}${size === '' ? '' : `-${size}`}.${image.extension}`;

type ImageFiles = Pick<ImageTable, 'file' | 'extension' | 'filesize' | 'sizes'>;

/** Every file of an image, with its size in bytes. */
export const fileSizes = (image: ImageFiles): { name: string; size: number }[] => [
  { name: fileName(image, ''), size: image.filesize },
  ...Object.entries(JSON.parse(image.sizes) as StoredSizes).map(([size, { filesize }]) => ({
    name: fileName(image, size),
    size: filesize,
  })),
];
export const fileNames = (image: ImageFiles): string[] => fileSizes(image).map(({ name }) => name);

export function imageView(image: ImageTable, home: string): ImageRecord {
  const url = (size: string): string => `${home}/media/${fileName(image, size)}`;
  const sizes = Object.entries(JSON.parse(image.sizes) as StoredSizes).map(([name, size]) => [
    name,
    { width: size.width, height: size.height, 'mime-type': image.mime, filesize: size.filesize, url: url(name) },
  ]);
  return {
    url: url(''),
    id: image.id,
    extension: image.extension,
    width: image.width,
    height: image.height,
    filesize: image.filesize,
    ...(sizes.length > 0 ? { sizes: Object.fromEntries(sizes) } : {}),
    ...(image.alt !== '' ? { alt_text: image.alt } : {}),
  };
}
