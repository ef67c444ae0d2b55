import type { Db } from '../db/database.js';
import type { ImageTable } from '../db/tables.js';
import type { ImageRecord } from '../media/image.shape.js';
import { imagesByIds } from '../media/image.store.js';
import { imageView } from '../media/image.view.js';
import type { Context } from './context.js';

/** Images of several records, loaded together. */
export type ImageRows = ReadonlyMap<number, ImageTable>;

export function imagesOf(db: Db, rows: { image_id: number | null }[]): Promise<ImageRows> {
  const ids = new Set(rows.flatMap((row) => (row.image_id === null ? [] : [row.image_id])));
  return imagesByIds(db, [...ids]);
}

export function shownImage(id: number | null, images: ImageRows, context: Context): ImageRecord | undefined {
  const found = id === null ? undefined : images.get(id);
  return found && imageView(found, context.address.home);
}

/** For schema.org: only the address. */
export function imageOf(id: number | null, images: ImageRows, context: Context): { image?: string } {
  const shown = shownImage(id, images, context);
  return shown ? { image: shown.url } : {};
}
