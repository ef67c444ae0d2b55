import { median, type Result } from './run.js';

/** The measurements, as tables for people and a file for later comparison. */

export interface SizeReport {
  events: number;
  /** Null: it was not noted when the data was made. */
  eventsPerSecond: number | null;
  megabytes: number;
  startMilliseconds: number;
  memoryAtRest: number;
  memoryUnderLoad: number;
  results: Result[];
}

export interface Report {
  date: string;
  command: string;
  version: string;
  machine: string;
  /** Load average over the last minute, before and after. */
  load: [before: number, after: number];
  sizes: SizeReport[];
  /** The reads of the smallest size and, as those of the other server, of the largest, in turns. */
  growth?: Result[] | undefined;
}

export interface Row {
  scenario: string;
  kind: Result['kind'];
  connections: number;
  cold?: Result | undefined;
  warm?: Result | undefined;
  bareCold?: Result | undefined;
  bareWarm?: Result | undefined;
  otherCold?: Result | undefined;
  otherWarm?: Result | undefined;
}

/** One row per scenario and number of connections. */
export function rowsOf({ results }: Pick<SizeReport, 'results'>): Row[] {
  const rows = new Map<string, Row>();
  for (const { scenario, kind, connections } of results)
    rows.set(`${scenario} ${connections}`, { scenario, kind, connections });
  const PLACES = {
    kalends: { cold: 'cold', warm: 'warm' },
    bare: { cold: 'bareCold', warm: 'bareWarm' },
    other: { cold: 'otherCold', warm: 'otherWarm' },
  } as const;
  for (const result of results) {
    const row = rows.get(`${result.scenario} ${result.connections}`);
    if (row) row[PLACES[result.target as keyof typeof PLACES][result.temperature]] = result;
  }
  const names = [...new Set(results.map(({ scenario }) => scenario))];
  return [...rows.values()].sort(
    (a, b) => names.indexOf(a.scenario) - names.indexOf(b.scenario) || a.connections - b.connections,
  );
}

/** Turn by turn, since the machine differs from minute to minute: the median of the ratios. */
const inTurns = (ours: number[] = [], theirs: number[] = []): number | undefined =>
  ours.length > 1 && ours.length === theirs.length
    ? median(ours.map((one, turn) => one / (theirs[turn] as number)))
    : undefined;

/** Our cost in units of the bare server's cost in the same minute, which can be compared between runs and machines. */
export const costOf = (ours: Result | undefined, bare: Result | undefined): number | undefined =>
  ours?.cpu && bare?.cpu ? (inTurns(ours.turns, bare.turns) ?? ours.cpu / bare.cpu) : undefined;

export const shareOf = (ours: Result | undefined, bare: Result | undefined): number | undefined => {
  const cost = costOf(ours, bare);
  return cost === undefined ? undefined : 1 / cost;
};

const digits = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toFixed(3);
const shown = (value: number | null | undefined): string =>
  value === undefined || value === null ? '' : digits(value);
const percent = (now: number | undefined, then: number | undefined): string => {
  if (now === undefined || then === undefined) return '';
  const change = Math.round((now / then - 1) * 100);
  return `${change > 0 ? '+' : ''}${change}%`;
};

function problemsOf(row: Row): string {
  const bad = [row.cold, row.warm].flatMap((one) => {
    if (!one) return [];
    const wrong = Object.entries(one.statuses).filter(([status]) => Number(status) >= 400);
    return [...wrong.map(([status, n]) => `${n}x ${status}`), ...(one.failures > 0 ? [`${one.failures} failed`] : [])];
  });
  return bad.join(' ');
}

/** The cells of the table; the first row is its head. `earlier`: the same size, measured before. */
export function cellsOf(size: SizeReport, earlier: SizeReport | undefined): string[][] {
  const others = size.results.some(({ target }) => target === 'other');
  const head = [
    'scenario',
    'conn.',
    'cold ms',
    'warm ms',
    'bare ms',
    'cold share',
    'warm share',
    'cold p50',
    'p99',
    'warm p50',
    'p99',
    'warm/s',
    'kB',
    'cold vs before',
    'warm vs before',
  ];
  const before = new Map((earlier ? rowsOf(earlier) : []).map((row) => [`${row.scenario} ${row.connections}`, row]));
  const rows = rowsOf(size).map((row) => {
    const then = before.get(`${row.scenario} ${row.connections}`);
    return [
      row.scenario,
      String(row.connections),
      shown(row.cold?.cpu),
      shown(row.warm?.cpu),
      shown(row.bareWarm?.cpu ?? row.bareCold?.cpu),
      shown(shareOf(row.cold, row.bareCold)),
      shown(shareOf(row.warm, row.bareWarm)),
      shown(row.cold?.p50),
      shown(row.cold?.p99),
      shown(row.warm?.p50),
      shown(row.warm?.p99),
      shown((row.warm ?? row.cold)?.perSecond),
      shown(((row.warm ?? row.cold)?.bytesEach ?? 0) / 1000),
      percent(costOf(row.cold, row.bareCold), then && costOf(then.cold, then.bareCold)),
      percent(costOf(row.warm, row.bareWarm), then && costOf(then.warm, then.bareWarm)),
      ...(others
        ? [
            shown(row.otherCold?.cpu),
            shown(row.otherWarm?.cpu),
            shown(costOf(row.otherCold, row.cold)),
            shown(costOf(row.otherWarm, row.warm)),
          ]
        : []),
      problemsOf(row),
    ];
  });
  return [[...head, ...(others ? ['other cold ms', 'other warm ms', 'cold ratio', 'warm ratio'] : []), ''], ...rows];
}

/** Cold costs at the smallest and the largest size, measured in turns. */
export function growthCells({ sizes, growth = [] }: Report): string[][] {
  const named = (size: SizeReport | undefined): string => `${size?.events.toLocaleString('en')} events, ms`;
  const rows = rowsOf({ results: growth }).map(({ scenario, cold, otherCold }) => [
    scenario,
    shown(cold?.cpu),
    shown(otherCold?.cpu),
    shown(costOf(otherCold, cold)),
  ]);
  return [['side by side', named(sizes[0]), named(sizes.at(-1)), 'ratio'], ...rows];
}

export function textTable(cells: string[][]): string {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    row
      .map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
      .join('  ')
      .trimEnd();
  return cells.map(line).join('\n');
}

export function markdownTable([head = [], ...rows]: string[][]): string {
  const line = (row: string[]): string => `| ${row.join(' | ')} |`;
  return [line(head), `|${head.map((_, n) => (n === 0 ? '---' : '---:')).join('|')}|`, ...rows.map(line)].join('\n');
}

export function factLines(size: SizeReport): string[] {
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  return [
    `${size.events.toLocaleString('en')} events, ${size.megabytes} MB on disk${size.eventsPerSecond === null ? '' : `, loaded at ${Math.round(size.eventsPerSecond).toLocaleString('en')} events/s`}`,
    `first response ${Math.round(size.startMilliseconds)} ms after the start; memory ${megabytes(size.memoryAtRest)} when idle, ${megabytes(size.memoryUnderLoad)} under load`,
  ];
}
