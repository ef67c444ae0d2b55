import { type Static, Type } from 'typebox';
import { globalShape, imageRef, jsonLdShape, postShape } from '../records/shape.js';

const text = (description: string, example: string) => Type.Optional(Type.String({ description, examples: [example] }));

/** An organizer as it is sent. Empty members are omitted (C1). */
export const Organizer = Type.Object(
  {
    ...postShape,
    organizer: Type.String({ description: 'arg.organizer.organizer', examples: ['Harbour Music Society'] }),
    description: text('arg.organizer.description', '<p>Volunteers.</p>'),
    excerpt: text('shape.excerpt', ''),
    slug: text('arg.slug', 'harbour-music-society'),
    image: Type.Optional(imageRef),
    phone: text('arg.phone', '+351 21 000 0102'),
    website: text('arg.website', 'https://harbour-music.example'),
    email: text('arg.organizer.email', 'hello@harbour-music.example'),
    json_ld: Type.Optional(jsonLdShape),
    ...globalShape,
  },
  { $id: 'Organizer', description: 'shape.organizer' },
);
export type OrganizerRecord = Static<typeof Organizer>;
