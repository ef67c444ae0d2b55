import { pathToFileURL } from 'node:url';
import { ASSUMED, COSTS, fleetOf, largestCalendar, readsOf, sizeOf, writesOf } from './model.js';

/** Prints the tables of docs/scaling.md; a test compares them. */

const whole = (n: number): string => (Number.isFinite(n) ? Math.round(n).toLocaleString('en') : 'no end');
const some = (n: number): string =>
  Number.isFinite(n) ? (n >= 100 ? whole(n) : String(Number(n.toPrecision(2)))) : 'no end';
const percent = (n: number): string => `${some(n * 100)} %`;

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const WRITES_PER_READ = 0.001;

function edges(): string {
  const rows = [
    { places: 0, seconds: 0 },
    ...[100, 20, 1].flatMap((places) => [1, 10, 60].map((seconds) => ({ places, seconds }))),
  ].map((edge) => {
    const { origin, hits, kept, cores } = readsOf(edge, WRITES_PER_READ);
    const where = edge.places === 0 ? 'no CDN' : edge.places === 1 ? '1 (shield)' : String(edge.places);
    return [
      where,
      edge.places === 0 ? '' : `${edge.seconds} s`,
      edge.places === 0 ? '' : percent(hits),
      whole(origin),
      percent(kept),
      whole(cores),
    ];
  });
  return table(
    ['places of the CDN', 'kept for', 'hits', 'reach instances, a second', 'of these ready in memory', 'cores'],
    rows,
  );
}

function writing(): string {
  const rows = [0.001, 0.01, 0.1].flatMap((share) =>
    [ASSUMED.roundTripMs, 2, 80].map((roundTrip) => {
      const { all, largest, most, held, waits, cores } = writesOf(share, roundTrip);
      const wait = held < 1 ? `${some(waits)} ms` : 'refused (503)';
      return [whole(all), some(largest), `${roundTrip} ms`, some(most), percent(held), wait, some(cores)];
    }),
  );
  return table(
    [
      'writes, a second',
      'in the largest calendar',
      'way to the database',
      'most for one calendar',
      'lock held',
      'wait',
      'cores, all',
    ],
    rows,
  );
}

function sizes(): string {
  const named: [string, number][] = [
    ['100,000 events', 100_000],
    ['1,000,000 events', 1_000_000],
    ['average of 10,000 calendars', ASSUMED.events / ASSUMED.calendars],
    ['largest, skew 0.7', largestCalendar(0.7)],
    ['largest, skew 1', largestCalendar(1)],
    ['all in one', ASSUMED.events],
  ];
  const rows = named.map(([what, events]) => {
    const { diskGb, selectionMb, isKept, seconds } = sizeOf(events);
    return [
      what,
      whole(events),
      `${some(diskGb)} GB`,
      `${some(selectionMb)} MB`,
      isKept ? 'yes' : 'no',
      `${some(seconds)} s`,
    ];
  });
  return table(['calendar', 'events', 'on disk', 'selection of the plain list', 'kept', 'to build it once'], rows);
}

function fleets(): string {
  const rows = [1, 20, 200].map((together) => {
    const { processes, memoryGb, connections } = fleetOf(together, 2);
    return [
      together === 1 ? '1 (as it is)' : `${together} (not built)`,
      whole(processes),
      `${whole(memoryGb)} GB`,
      whole(connections),
      whole(processes * 10),
    ];
  });
  return table(
    [
      'calendars in one process',
      'processes',
      'memory',
      'connections, 2 for each calendar and process',
      'connections, 10 for each process',
    ],
    rows,
  );
}

export const tables = (): Record<string, string> => ({
  sizes: sizes(),
  fleets: fleets(),
  edges: edges(),
  writing: writing(),
});

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`${JSON.stringify({ COSTS, ASSUMED }, null, 2)}\n`);
  for (const text of Object.values(tables())) console.log(`${text}\n`);
}
