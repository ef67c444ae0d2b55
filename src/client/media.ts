import { keyed, type Records, records } from './records.js';
import type { Call } from './request.js';
import type { Image, MediaShape, UploadOptions } from './types.js';

export interface Media extends Omit<Records<MediaShape>, 'create'> {
  /**
   * Uploads a picture: a `File` from a form, or any `Blob`. Use its `id` as the `image` of a record.
   *
   *     const { id } = await client.media.upload(file, { alt_text: 'The stage' });
   *     await client.events.update(42, { image: id });
   */
  upload(file: Blob, options?: UploadOptions): Promise<Image>;
}

export function media(call: Call): Media {
  const { create: _, ...rest } = records<MediaShape>(call, 'media');
  return {
    ...rest,
    upload: (file, { signal, idempotencyKey, alt_text } = {}) => {
      const body = new FormData();
      // Fields come before files, so that they are known when the file is read.
      if (alt_text !== undefined) body.append('alt_text', alt_text);
      body.append('file', file);
      return call({ method: 'POST', path: '/media', body, headers: keyed(idempotencyKey), signal });
    },
  };
}
