import type { Random } from './random.js';
import { API, type Site } from './site.js';
import { type Answer, bytesOf, jsonOf, jsonRequest, Line, NoAnswer } from './wire.js';

/** Writers of every kind, and a book of what they were told. */

export type Kind = 'event' | 'venue' | 'organizer' | 'category' | 'tag' | 'image';
const PLURAL: Record<Kind, string> = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
  image: 'media',
};

/** What a record may be now: by its text, undefined for gone. Two while a change is not answered. */
export type May = (string | undefined)[];

export class Book {
  /** By kind and id. */
  readonly known = new Map<string, { kind: Kind; id: number; may: May }>();
  /** Numbers of events that were removed, or may have been: what came with them stays. */
  readonly removed = new Set<number>();
  /** Events sent and not (yet) answered: all of one is there, or nothing. */
  readonly open = new Set<number>();
  /** Changed since somebody last compared. */
  readonly fresh = new Set<string>();
  answered = 0;
  private serial = 0;

  next(): number {
    return ++this.serial;
  }

  set(kind: Kind, id: number, may: May): void {
    const key = `${kind} ${id}`;
    this.known.set(key, { kind, id, may });
    this.fresh.add(key);
  }
}

/** Everything an event can bring along; `ballast` makes it heavy. */
const eventBody = (n: number, ballast: number) => ({
  title: `Event ${n}`,
  start_date: '2031-01-01 10:00:00',
  end_date: '2031-01-01 11:00:00',
  description: 'x'.repeat(ballast),
  venue: { venue: `Inline venue ${n}`, geo_lat: n % 90, geo_lng: 1 },
  organizer: { organizer: `Inline organizer ${n}` },
  categories: [`Shared ${n % 50}`, `Inline category ${n}`],
  tags: [`Inline tag ${n}`],
});

/** The field that holds the text of a record of this kind. */
const FIELD = {
  event: 'title',
  venue: 'venue',
  organizer: 'organizer',
  category: 'name',
  tag: 'name',
  image: 'alt_text',
};

export interface Writing {
  site: Site;
  port: number;
  book: Book;
  random: Random;
  picture: Buffer;
  stop: () => boolean;
  ballast?: number;
  /** Sees what was refused; says whether to go on. */
  refused?: (answer: Answer) => Promise<boolean>;
}

/** Creates, changes and removes until the connection fails or is told to stop. Says how it ended. */
export async function writer(writing: Writing): Promise<string> {
  const { site, port, book, random, stop } = writing;
  const line = new Line(port, 20_000);
  const mine: { kind: Kind; id: number; text: string; n: number }[] = [];
  try {
    while (!stop()) {
      const old = mine.length > 0 && random.chance(0.4) ? mine.splice(random.int(0, mine.length - 1), 1)[0] : undefined;
      const asked = old ? changeOf(writing, old) : creation(writing);
      asked.before();
      const answer = await line.ask(asked.bytes(site.users.administrator));
      if (answer.status >= 300) {
        asked.refused();
        const what = `status ${answer.status} ${answer.body.toString('utf8', 0, 300)}`;
        if (!(await (writing.refused?.(answer) ?? false))) return what;
        if (old) mine.push(old);
        continue;
      }
      book.answered++;
      const kept = asked.after(answer);
      if (kept) mine.push(kept);
    }
    return 'stopped';
  } catch (error) {
    if (error instanceof NoAnswer) return error.how;
    throw error;
  } finally {
    line.close();
  }
}

interface Step {
  bytes: (authorization: string) => Buffer;
  /** Noted before it is sent, when it is answered, and when it was refused. */
  before: () => void;
  after: (answer: Answer) => { kind: Kind; id: number; text: string; n: number } | undefined;
  refused: () => void;
}

function creation({ book, random, picture, ballast = 0 }: Writing): Step {
  const kind = random.weighed<Kind>({ event: 50, venue: 12, organizer: 10, category: 8, tag: 8, image: 12 });
  const n = book.next();
  const text = `${kind === 'event' ? 'Event' : kind} ${n}`;
  const body = kind === 'event' ? eventBody(n, ballast) : { [FIELD[kind]]: text };
  const target = `${API}/${PLURAL[kind]}`;
  return {
    bytes: (authorization) =>
      kind === 'image'
        ? bytesOf({
            method: 'POST',
            target: `${target}?alt_text=${encodeURIComponent(text)}`,
            headers: [
              ['Authorization', authorization],
              ['Content-Type', 'image/png'],
            ],
            body: picture,
          })
        : jsonRequest('POST', target, authorization, body),
    before: () => {
      if (kind === 'event') book.open.add(n);
    },
    after: (answer) => {
      const { id } = jsonOf(answer) as { id: number };
      book.open.delete(n);
      book.set(kind, id, [text]);
      return { kind, id, text, n };
    },
    refused: () => book.open.delete(n),
  };
}

function changeOf({ book, random }: Writing, old: { kind: Kind; id: number; text: string; n: number }): Step {
  const { kind, id, text, n } = old;
  const removes = random.chance(0.5);
  const next = removes ? undefined : `${text} changed`;
  const target = `${API}/${PLURAL[kind]}/${id}${removes ? '?force=true' : ''}`;
  return {
    bytes: (authorization) =>
      jsonRequest(removes ? 'DELETE' : 'PATCH', target, authorization, removes ? undefined : { [FIELD[kind]]: next }),
    before: () => {
      if (kind === 'event' && removes) book.removed.add(n);
      book.set(kind, id, [text, next]);
    },
    after: () => {
      book.set(kind, id, [next]);
      return undefined;
    },
    refused: () => book.set(kind, id, [text]),
  };
}
