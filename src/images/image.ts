import { type Caller, manages, uploads } from '../access/rights.js';
import type { ImageTable } from '../db/tables.js';
import { Failure } from '../errors.js';
import { Image } from '../media/image.shape.js';
import * as store from '../media/image.store.js';
import { imageView } from '../media/image.view.js';
import { type Args, arg, readArgs, readingOf, required } from '../records/args.js';
import type { Context, Target } from '../records/context.js';
import { links, listAnswer, listShape, pagesOf, pagingArgs, pagingOf } from '../records/list.js';
import { freeText, integer } from '../records/readers.js';
import type { Endpoint, Route } from '../records/routes.js';
import { cleanLine } from '../text/html.js';

/** Uploaded pictures (ours): `POST /media`, the caller's list, changing the alternative text, removing. */

const textArgs = {
  alt_text: arg({ type: 'string', description: 'arg.media.alt_text' }, freeText(1000), { ours: true }),
};
const idArgs = required({ id: arg({ type: 'integer', description: 'arg.media.id' }, integer) }, 'id');

const read = <A extends Args>(context: Context, args: A, creating = false) =>
  readArgs(args, context.given, readingOf(context, creating));

function mustUpload(caller: Caller): void {
  if (!uploads(caller)) throw new Failure('rest_forbidden');
}

async function ownImage(context: Context, target: Target | undefined): Promise<ImageTable> {
  mustUpload(context.caller);
  const id = target?.by === 'id' ? target.id : 0;
  const found = await store.imageById(context.db, id);
  if (!found) throw new Failure('media-not-found', { values: { id } });
  if (!manages(context.caller, found)) throw new Failure('rest_forbidden');
  return found;
}

const endpoint = (
  operation: 'list' | 'create' | 'read' | 'update' | 'remove',
  part: Pick<Endpoint, 'methods' | 'args' | 'described' | 'writes' | 'run'> & {
    failures: Endpoint['doc']['failures'];
    uploads?: true;
  },
): Endpoint => {
  const { failures, ...rest } = part;
  return {
    ...rest,
    doc: {
      name: `media.${operation}`,
      group: 'media',
      shape: operation === 'list' ? listShape('media', Image) : Image,
      failures,
    },
  };
};

const show = (image: ImageTable, context: Context) => imageView(image, context.address.home);

async function added(context: Context, alt: string): Promise<ImageTable> {
  const id = await context.images?.fromUpload(context.db, alt);
  const found = id === undefined ? undefined : await store.imageById(context.db, id);
  if (!found) throw new Failure('media-type');
  return found;
}

/** Files are removed once the row is gone for good, i.e. after the transaction. */
export function mediaRoutes(removeFiles: (image: ImageTable) => Promise<void>): Route[] {
  const collection: Route = {
    path: '/media',
    endpoints: [
      endpoint('list', {
        methods: ['GET'],
        args: pagingArgs,
        described: pagingArgs,
        writes: false,
        failures: ['rest_forbidden'],
        run: async (context) => {
          const values = await read(context, pagingArgs);
          mustUpload(context.caller);
          const paging = pagingOf(values, context);
          const { rows, total } = await store.listImages(context.db, context.caller, paging);
          const totalPages = pagesOf(total, paging.perPage);
          const link = links(`${context.address.api}/media/`, paging, totalPages, []);
          const shown = rows.map((row) => show(row, context));
          const list = listAnswer('media', shown, link, total, totalPages);
          return { status: 200, body: list.body, list };
        },
      }),
      endpoint('create', {
        methods: ['POST'],
        args: textArgs,
        described: textArgs,
        writes: true,
        uploads: true,
        failures: ['media-type', 'media-too-large'],
        run: async (context) => {
          const { alt_text = '' } = await read(context, textArgs, true);
          mustUpload(context.caller);
          const image = await added(context, cleanLine(alt_text));
          return { status: 201, body: show(image, context), location: `${context.address.api}/media/${image.id}` };
        },
      }),
    ],
    allowed: async (_db, caller) => (uploads(caller) ? ['GET', 'POST'] : []),
  };
  const single: Route = {
    path: '/media/:id',
    endpoints: [
      endpoint('read', {
        methods: ['GET'],
        args: {},
        described: idArgs,
        writes: false,
        failures: ['media-not-found', 'rest_forbidden'],
        run: async (context, target) => ({ status: 200, body: show(await ownImage(context, target), context) }),
      }),
      endpoint('remove', {
        methods: ['DELETE'],
        args: {},
        described: idArgs,
        writes: true,
        failures: ['media-not-found', 'media-in-use'],
        run: async (context, target) => {
          const image = await ownImage(context, target);
          if (await store.isUsed(context.db, image.id)) throw new Failure('media-in-use');
          await store.eraseImage(context.db, image);
          return { status: 200, body: show(image, context), afterwards: () => removeFiles(image) };
        },
      }),
      endpoint('update', {
        methods: ['POST', 'PUT', 'PATCH'],
        args: textArgs,
        described: { ...idArgs, ...textArgs },
        writes: true,
        failures: ['media-not-found'],
        run: async (context, target) => {
          const { alt_text } = await read(context, textArgs);
          const image = await ownImage(context, target);
          const alt = alt_text === undefined ? image.alt : cleanLine(alt_text);
          await store.setAlt(context.db, image.id, alt);
          return { status: 200, body: show({ ...image, alt }, context) };
        },
      }),
    ],
    allowed: async (_db, caller) => (uploads(caller) ? ['GET', 'DELETE', 'POST', 'PUT', 'PATCH'] : []),
  };
  return [collection, single];
}
