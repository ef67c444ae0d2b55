import type { TSchema } from 'typebox';
import type { Caller } from '../access/rights.js';
import type { Db } from '../db/database.js';
import type { FailureCode } from '../errors.js';
import type { Args, Values } from './args.js';
import type { Context, Target } from './context.js';
import type { ListAnswer } from './list.js';

/** A kind of record, as a value: its parameters and operations. Routes, index and documentation are made from it. */
export interface Kind {
  singular: string;
  plural: string;
  /** Whether records can also be addressed by slug. */
  slugs: boolean;
  list: { args: Args; run: (context: Context, values: never) => Promise<ListAnswer> };
  /** `secret`: the parameter that sets a password. It is hashed before the transaction begins. */
  create: { args: Args; secret?: string; run: (context: Context, values: never) => Promise<unknown> };
  read: { args: Args; run: (context: Context, target: Target, values: never) => Promise<unknown> };
  update: { args: Args; secret?: string; run: (context: Context, target: Target, values: never) => Promise<unknown> };
  remove: { args: Args; run: (context: Context, target: Target, values: never) => Promise<unknown> };
  /** What a record looks like on the wire. */
  shape: TSchema;
  /** Codes of this kind's own failures, beside those that every operation can have. */
  failures: Record<'list' | 'create' | 'read' | 'update' | 'remove', FailureCode[]>;
  /** Whether a record already has the requested slug. */
  slugTaken: (db: Db, asked: string) => Promise<boolean>;
  /** For the `Allow` header: whether the caller may add to the collection, and whether it may change this record. */
  mayCreate: (caller: Caller) => boolean;
  maySend: (db: Db, caller: Caller, target: Target) => Promise<boolean>;
}

interface Definition<L extends Args, C extends Args, R extends Args, U extends Args, D extends Args> extends Kind {
  list: { args: L; run: (context: Context, values: Values<L>) => Promise<ListAnswer> };
  create: { args: C; secret?: string; run: (context: Context, values: Values<C>) => Promise<unknown> };
  read: { args: R; run: (context: Context, target: Target, values: Values<R>) => Promise<unknown> };
  update: { args: U; secret?: string; run: (context: Context, target: Target, values: Values<U>) => Promise<unknown> };
  remove: { args: D; run: (context: Context, target: Target, values: Values<D>) => Promise<unknown> };
}

/** Combines the parts of a kind; the only place that ties the types of values to those of the parameters. */
export function defineKind<L extends Args, C extends Args, R extends Args, U extends Args, D extends Args>(
  kind: Definition<L, C, R, U, D>,
): Kind {
  return kind;
}
