import { type Client, KalendsError } from '../client/client.js';
import { bringerTo } from './bringing.js';
import { Refusal } from './io.js';
import type { Calendar, Moved, Plural, Told } from './moved.js';

/** Reads what another site with this API shows publicly, list by list, and imports it. */

export interface Move {
  /** The address of the site, as it was given. */
  site: string;
  source: Client;
  target: Client;
  /** The currency sign here, for prices that name none. */
  sign: string;
  progress: (what: string, done: number, all: number) => void;
}

interface Page {
  found: Told[];
  total: number;
  pages: number;
}

const PER_PAGE = 50;
/** Both dates are given: without an end, a list stops two years from now. */
const ALWAYS = { start_date: '1000-01-01', end_date: '9999-12-31' };

/** Fills `moved` as it goes, so that an interrupted import can be reported, too. */
export async function move({ site, source, target, sign, progress }: Move, moved: Moved): Promise<void> {
  const from = source as unknown as Calendar;
  const bring = bringerTo(target as unknown as Calendar, sign, moved);

  const list = async (kind: Plural, query: object): Promise<Page> => {
    const { [kind]: found, total, total_pages } = await from[kind].list({ ...query, per_page: PER_PAGE });
    if (!Array.isArray(found)) throw new Refusal(`${site} does not return its ${kind} as a list.`);
    return { found, total: Number(total) || 0, pages: Number(total_pages) || 0 };
  };
  const all = async (kind: Plural, query: object, one: (there: Told) => Promise<void>): Promise<void> => {
    const seen = new Set<number>();
    let total = 0;
    let coming: Promise<Page> | undefined = list(kind, { ...query, page: 1 });
    for (let page = 1; coming; page++) {
      // There are fewer pages than before; what is missing is reported below.
      const came: Page | undefined = await coming.catch((error: unknown) => {
        if (page > 1 && error instanceof KalendsError && error.status === 404) return undefined;
        throw sourceFailed(error, site, kind);
      });
      if (!came) break;
      total = came.total;
      // The other site, usually the slower one, prepares the next page while this one is written.
      coming = page < came.pages ? list(kind, { ...query, page: page + 1 }) : undefined;
      // If it fails, that is reported when its turn comes.
      coming?.catch(() => {});
      for (const there of came.found) {
        if (typeof there?.id !== 'number') {
          moved.problems.push({ kind, partly: true, message: 'The site lists something that is no record.' });
          continue;
        }
        await one(there);
        progress(kind, seen.add(there.id).size, total);
      }
    }
    if (seen.size < total) {
      const message = `The site reports ${total}, but listed ${seen.size}. Run the import again.`;
      moved.problems.push({ kind, partly: true, message });
    }
  };

  await all('categories', { hide_empty: false }, (there) => bring.record('categories', there));
  // Tags come with the events that carry them: others may belong to something other than the calendar.
  for (const kind of ['venues', 'organizers'] as const) await all(kind, {}, (there) => bring.record(kind, there));
  await all('events', ALWAYS, bring.event);
  await bring.placed();
}

function sourceFailed(error: unknown, site: string, kind: Plural): unknown {
  if (!(error instanceof KalendsError) || error.code === 'no-interface') return error;
  return new Refusal(`${site} gave no usable response (HTTP status ${error.status}) when asked for its ${kind}.`);
}
