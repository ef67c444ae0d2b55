import { type Static, Type } from 'typebox';

/** An image as records show it; empty members are omitted, as in the reference. */

const text = (description: string, more: object = {}) => Type.String({ description, ...more });

export const ImageSize = Type.Object(
  {
    width: Type.Integer({ description: 'shape.image.width' }),
    height: Type.Integer({ description: 'shape.image.height' }),
    'mime-type': text('shape.image.mime'),
    filesize: Type.Optional(Type.Integer({ description: 'shape.image.filesize' })),
    url: text('shape.image.url', { format: 'uri' }),
  },
  { $id: 'ImageSize', description: 'shape.image.size' },
);

export const Image = Type.Object(
  {
    url: text('shape.image.url', { format: 'uri' }),
    id: Type.Integer({ description: 'shape.id' }),
    extension: text('shape.image.extension', { examples: ['jpg'] }),
    width: Type.Optional(Type.Integer({ description: 'shape.image.width' })),
    height: Type.Optional(Type.Integer({ description: 'shape.image.height' })),
    filesize: Type.Optional(Type.Integer({ description: 'shape.image.filesize' })),
    alt_text: Type.Optional(text('arg.media.alt_text')),
    sizes: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<Static<typeof ImageSize>>(Type.Ref('ImageSize')), {
        description: 'shape.image.sizes',
      }),
    ),
  },
  { $id: 'Image', description: 'shape.image' },
);
export type ImageRecord = Static<typeof Image>;
