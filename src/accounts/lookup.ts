import { setImmediate as breath } from 'node:timers/promises';
import type { Database, Db } from '../db/database.js';
import { Failure } from '../errors.js';
import { type CredentialKind, type Holder, ownerOf } from './credential.store.js';
import { hashOf } from './secrets.js';

/** Runs before the lookup of a credential, in the same snapshot; it throws if there were too many wrong guesses. */
export type First = (db: Db) => Promise<void>;

/** The user with this secret, if there is one. */
export type LookUp = (kind: CredentialKind, secret: string, first: First) => Promise<Holder | undefined>;

interface Asked {
  kind: CredentialKind;
  secret: string;
  first: First;
  found: (holder: Holder | undefined) => void;
  failed: (error: unknown) => void;
}

/**
 * Requests that come in the same turn share one snapshot, which begins after all of them, and one lookup of the same
 * credential: a program that writes over many connections would otherwise have the same rows read for each request.
 */
export function lookerUp(database: Database, key: string): LookUp {
  let waiting: Asked[] = [];

  async function lookUpAll(): Promise<void> {
    await breath();
    const together = waiting;
    waiting = [];
    const read = async (db: Db): Promise<void> => {
      const holders = new Map<string, Promise<Holder | undefined>>();
      const holderOf = (kind: CredentialKind, secret: string): Promise<Holder | undefined> => {
        const id = `${kind} ${secret}`;
        const known = holders.get(id) ?? ownerOf(db, kind, hashOf(secret, key));
        holders.set(id, known);
        return known;
      };
      const outcomes = await Promise.allSettled(
        together.map(async ({ kind, secret, first, found, failed }) => {
          try {
            await first(db);
            found(await holderOf(kind, secret));
          } catch (error) {
            // Only a refusal is this request's own. Trouble of the database is everybody's, and told as what it is.
            if (!(error instanceof Failure)) throw error;
            failed(error);
          }
        }),
      );
      const trouble = outcomes.find((outcome) => outcome.status === 'rejected');
      if (trouble) throw trouble.reason;
    };
    await database
      .read(read, { fresh: true })
      .catch((error: unknown) => together.forEach(({ failed }) => void failed(error)));
  }

  return (kind, secret, first) =>
    new Promise((found, failed) => {
      waiting.push({ kind, secret, first, found, failed });
      if (waiting.length === 1) void lookUpAll();
    });
}
