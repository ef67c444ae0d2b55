import { costOf, type Report, type Row, rowsOf, type SizeReport, shareOf } from './report.js';
import { WRITERS } from './run.js';

/** The goals, and whether they were reached: reported, not asserted. Times depend on the machine. */

export interface Goal {
  what: string;
  wanted: string;
  measured: string;
  reached: boolean;
}

const worst = (values: (number | null | undefined)[], of: (...values: number[]) => number): number | undefined => {
  const known = values.filter((one): one is number => typeof one === 'number' && Number.isFinite(one));
  return known.length > 0 ? of(...known) : undefined;
};

function goal(what: string, sign: '<=' | '>=', wanted: number, measured: number | undefined, unit = ''): Goal[] {
  if (measured === undefined) return [];
  const reached = sign === '<=' ? measured <= wanted : measured >= wanted;
  const round = (n: number): string => String(Number(n.toPrecision(3)));
  return [{ what, wanted: `${sign} ${wanted}${unit}`, measured: `${round(measured)}${unit}`, reached }];
}

/** 8 connections keep the server busy without a queue that takes longer than the work. */
export const CONNECTIONS = 8;
const at = (rows: Row[], test: (row: Row) => boolean): Row[] =>
  rows.filter((row) => test(row) && row.connections === CONNECTIONS);

function sizeGoals(size: SizeReport): Goal[] {
  const rows = rowsOf(size);
  const n = size.events.toLocaleString('en');
  const written = (name: string): Row | undefined =>
    rows.find((row) => row.scenario === name && row.connections === WRITERS);
  const lists = at(rows, ({ kind }) => kind === 'default' || kind === 'list' || kind === 'single');
  const cold = (test: (row: Row) => boolean): number | undefined =>
    worst(
      at(rows, test).map((row) => row.cold?.cpu),
      Math.max,
    );
  const warmShare = (test: (row: Row) => boolean): number | undefined =>
    worst(
      at(rows, test).map((row) => shareOf(row.warm, row.bareWarm)),
      Math.min,
    );
  const plain = at(rows, ({ kind }) => kind === 'default')[0]?.warm;
  const packed = (name: string): number | undefined => {
    const result = at(rows, ({ scenario }) => scenario === name)[0]?.warm;
    return result?.cpu && plain?.cpu && result.encoding === name ? plain.cpu / result.cpu : undefined;
  };
  const create = written('create')?.cold;
  const beside = written('create, readers beside')?.cold;
  const all = written('all reads')?.warm;
  const mixed = written('95% reads, 5% writes')?.warm;
  return [
    ...goal(
      `${n}: single event and lists, warm, worst share of the bare server`,
      '>=',
      0.75,
      lists.length > 0 ? warmShare((row) => lists.includes(row)) : undefined,
    ),
    ...goal(
      `${n}: 304, share of the bare server`,
      '>=',
      0.9,
      warmShare(({ scenario }) => scenario.includes('304')),
    ),
    ...goal(
      `${n}: cold default list, CPU`,
      '<=',
      0.5,
      cold(({ kind }) => kind === 'default'),
      ' ms',
    ),
    ...goal(
      `${n}: slowest cold filtered list or search, CPU`,
      '<=',
      0.8,
      cold(({ kind, scenario }) => kind === 'list' && scenario !== 'per_page=50'),
      ' ms',
    ),
    ...goal(
      `${n}: cold single event, CPU`,
      '<=',
      0.1,
      cold(({ kind }) => kind === 'single'),
      ' ms',
    ),
    ...goal(
      `${n}: throughput with 5% writes, relative to reads only`,
      '>=',
      0.5,
      all && mixed ? mixed.perSecond / all.perSecond : undefined,
    ),
    ...goal(`${n}: durable creates per second`, '>=', 1500, create?.perSecond),
    ...goal(`${n}: creates with concurrent readers, p99`, '<=', 50, beside?.p99, ' ms'),
    ...goal(`${n}: bulk load, events per second`, '>=', 10_000, size.eventsPerSecond ?? undefined),
    ...goal(`${n}: memory under load`, '<=', 150, size.memoryUnderLoad / 1e6, ' MB'),
    ...goal(`${n}: start to first response`, '<=', 500, size.startMilliseconds, ' ms'),
    ...goal(`${n}: warm throughput with gzip, relative to uncompressed`, '>=', 0.7, packed('gzip')),
    ...goal(`${n}: warm throughput with Brotli, relative to uncompressed`, '>=', 0.7, packed('br')),
  ];
}

/** Cold cost at the largest size compared with that at the smallest: the scenario that grows most. */
function growthGoal({ sizes, growth }: Report): Goal[] {
  const [small, large] = [sizes[0], sizes.at(-1)];
  if (!small || !large || !growth) return [];
  let factor = 0;
  let slowest = '';
  for (const { scenario, cold, otherCold } of rowsOf({ results: growth })) {
    const grown = costOf(otherCold, cold) ?? 0;
    if (grown > factor) [factor, slowest] = [grown, scenario];
  }
  return goal(
    `growth from ${small.events.toLocaleString('en')} to ${large.events.toLocaleString('en')} events, side by side, worst cold scenario (${slowest})`,
    '<=',
    1.5,
    factor || undefined,
    ' times',
  );
}

export const goalsOf = (report: Report): Goal[] => [...report.sizes.flatMap(sizeGoals), ...growthGoal(report)];
