import { type TSchema, Type } from 'typebox';
import { CostDetails, Event, TicketShape } from '../events/event.shape.js';
import type { Translate } from '../i18n/translate.js';
import { Image, ImageSize } from '../media/image.shape.js';
import { Organizer } from '../organizers/organizer.shape.js';
import { DateDetails, EventTerm, Term, TermUrls } from '../records/shape.js';
import { Venue } from '../venues/venue.shape.js';

/** Shapes as the documents show them: texts in the reader's language, references to named components. */

const ErrorShape = Type.Object(
  {
    code: Type.String({ description: 'shape.error.code', examples: ['rest_invalid_param'] }),
    message: Type.String({ description: 'shape.error.message', examples: ['Invalid parameter(s): start_date'] }),
    data: Type.Object(
      {
        status: Type.Integer({ examples: [400] }),
        params: Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Array(Type.String())])),
        details: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())])),
      },
      { description: 'shape.error.data' },
    ),
  },
  { $id: 'Error', description: 'shape.error' },
);

const NAMED: TSchema[] = [
  ImageSize,
  CostDetails,
  Term,
  EventTerm,
  TermUrls,
  Image,
  DateDetails,
  TicketShape,
  Event,
  Venue,
  Organizer,
  ErrorShape,
];

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object';

/** Descriptions are message keys and become texts. `$ref: 'Image'` becomes a reference to the component. */
function localized(schema: unknown, translate: Translate): unknown {
  if (Array.isArray(schema)) return schema.map((one) => localized(one, translate));
  if (!isObject(schema)) return schema;
  const shown: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(schema)) {
    if (member === '$id') continue;
    if (member === 'description' && typeof value === 'string') shown.description = translate(value);
    else if (member === '$ref' && typeof value === 'string' && !value.startsWith('#'))
      shown.$ref = `#/components/schemas/${value}`;
    else shown[member] = localized(value, translate);
  }
  return shown;
}

const nameOf = (schema: TSchema): string | undefined => (schema as { $id?: string }).$id;

export function components(translate: Translate): Record<string, unknown> {
  return Object.fromEntries(NAMED.map((schema) => [nameOf(schema), localized(schema, translate)]));
}

/** A named shape as a reference, any other inline. */
export function shapeOf(schema: TSchema, translate: Translate): unknown {
  const name = nameOf(schema);
  return name !== undefined && NAMED.includes(schema)
    ? { $ref: `#/components/schemas/${name}` }
    : localized(schema, translate);
}
