import { type Static, Type } from 'typebox';
import { globalShape, imageRef, jsonLdShape, postShape } from '../records/shape.js';

const text = (description: string, example: string) => Type.Optional(Type.String({ description, examples: [example] }));

/** A venue as it is sent. Empty members are omitted (C1). */
export const Venue = Type.Object(
  {
    ...postShape,
    venue: Type.String({ description: 'arg.venue.venue', examples: ['Harbour Hall'] }),
    description: text('arg.venue.description', '<p>A former sail loft.</p>'),
    excerpt: text('shape.excerpt', ''),
    slug: text('arg.slug', 'harbour-hall'),
    image: Type.Optional(imageRef),
    address: text('arg.venue.address', 'Quay 12'),
    city: text('arg.venue.city', 'Lisbon'),
    country: text('arg.venue.country', 'Portugal'),
    province: text('arg.venue.province', 'Lisboa'),
    state: text('arg.venue.state', 'NY'),
    zip: text('arg.venue.zip', '1200-450'),
    phone: text('arg.phone', '+351 21 000 0101'),
    website: text('arg.website', 'https://harbour-hall.example'),
    stateprovince: text('arg.venue.stateprovince', 'Lisboa'),
    geo_lat: Type.Optional(Type.Number({ description: 'arg.venue.geo_lat', examples: [38.7057] })),
    geo_lng: Type.Optional(Type.Number({ description: 'arg.venue.geo_lng', examples: [-9.1445] })),
    json_ld: Type.Optional(jsonLdShape),
    show_map: Type.Boolean({ description: 'arg.venue.show_map' }),
    show_map_link: Type.Boolean({ description: 'arg.venue.show_map_link' }),
    ...globalShape,
  },
  { $id: 'Venue', description: 'shape.venue' },
);
export type VenueRecord = Static<typeof Venue>;
