/**
 * A model of Kalends at a size that no machine here has: many calendars, a CDN in front, writers and their lock.
 * Without clock or randomness: the same parameters give the same table. docs/scaling.md says what is left out.
 */

/** Costs of one request on one process. `measured` in docs/scaling.md, with the machine and its load. */
export const COSTS = {
  /** Milliseconds of processor time: a cached response, one that is assembled, a create. */
  keptMs: 0.05,
  builtMs: 0.3,
  createMs: 0.7,
  /** For building a selection, per event in it. */
  selectMicroseconds: 2,
  /** Memory of an idle process, and the most that its caches take; megabytes. */
  restMb: 85,
  cachesMb: 109,
  /** Bytes per event in a selection, and the largest selection that is kept in memory (records/selection.ts). */
  selectedBytes: 17,
  largestSelectionMb: 48,
  /** On disk, per event, with indexes. */
  storedBytes: 3200,
  /** Round trips to the database for a plain create while it holds the lock: begin, reads, writes, commit. */
  ways: 4,
};

/** Chosen, not measured: one data centre, and a disk with a battery-backed cache. */
export const ASSUMED = {
  calendars: 10_000,
  events: 100_000_000,
  readsPerSecond: 100_000,
  /** Popularity of the n-th calendar and of the n-th request: proportional to n to the power of minus this. */
  skew: 1,
  questions: 100,
  /** Shares of the variants of one address. */
  languages: [0.8, 0.2],
  encodings: [0.9, 0.1],
  /** Instances that serve one calendar. */
  instances: 2,
  roundTripMs: 0.25,
  commitMs: 1,
  /** How busy a processor may be before waiting times become noticeable. */
  busy: 0.6,
};

export function shares(many: number, skew: number): Float64Array {
  const weights = Float64Array.from({ length: many }, (_, n) => (n + 1) ** -skew);
  const all = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / all);
}

export interface Edge {
  /** Caches that do not share responses with each other; 0: nothing is cached. */
  places: number;
  /** How long responses are cached, in seconds. */
  seconds: number;
}

export interface Reads {
  /** Requests per second that reach instances. */
  origin: number;
  /** Share of all reads that the edge caches answer. */
  hits: number;
  /** Share of the requests to instances that are answered from their caches. */
  kept: number;
  cores: number;
}

/** Reads and writes are random: what is cached is fetched once per lifetime plus the gap until the next request. */
export function readsOf({ places, seconds }: Edge, writesPerRead: number): Reads {
  const { readsPerSecond, instances } = ASSUMED;
  const calendars = shares(ASSUMED.calendars, ASSUMED.skew);
  const questions = shares(ASSUMED.questions, ASSUMED.skew);
  let origin = 0;
  let ready = 0;
  for (const calendar of calendars) {
    const reads = readsPerSecond * calendar;
    const writes = reads * writesPerRead;
    for (const question of questions) {
      for (const language of ASSUMED.languages) {
        let arrives = 0;
        for (const encoding of ASSUMED.encodings) {
          const asked = reads * question * language * encoding;
          arrives += places === 0 ? asked : asked / (1 + (asked / places) * seconds);
        }
        origin += arrives;
        // Each instance drops its cached responses with every write to the calendar, and has one entry for all
        // encodings.
        ready += (arrives * (arrives / instances)) / (arrives / instances + writes);
      }
    }
  }
  const cpu = ready * COSTS.keptMs + (origin - ready) * COSTS.builtMs;
  return {
    origin,
    hits: 1 - origin / readsPerSecond,
    kept: ready / origin,
    cores: cpu / 1000 / ASSUMED.busy,
  };
}

export interface Writes {
  all: number;
  largest: number;
  /** The most that one calendar can take per second. */
  most: number;
  /** Share of time that the lock of the largest calendar is held; above 1, its writers are refused. */
  held: number;
  /** Milliseconds that a write to the largest calendar waits for others. */
  waits: number;
  cores: number;
}

/** One writer at a time per calendar; those that wait together share a commit. */
export function writesOf(writesPerRead: number, roundTripMs = ASSUMED.roundTripMs): Writes {
  const { readsPerSecond, calendars, skew, commitMs, busy } = ASSUMED;
  const all = readsPerSecond * writesPerRead;
  const largest = all * (shares(calendars, skew)[0] ?? 0);
  const own = COSTS.ways * roundTripMs;
  // Begin (with the lock) and commit: once per group, which grows to 64 when many wait.
  const around = 2 * roundTripMs + commitMs;
  const most = 1000 / (own + around / 64);
  const alone = own + around;
  const held = largest / most;
  // A queue with one server and constant service times, as long as it is not full.
  const waits =
    held < 1 ? (Math.min(held, 0.999) * alone) / (2 * (1 - Math.min(held, 0.999))) : Number.POSITIVE_INFINITY;
  return { all, largest, most, held, waits, cores: (all * COSTS.createMs) / 1000 / busy };
}

export interface Size {
  events: number;
  diskGb: number;
  /** For the list without filters, in one process. */
  selectionMb: number;
  isKept: boolean;
  /** Seconds to build it once. */
  seconds: number;
}

export function sizeOf(events: number): Size {
  const selectionMb = (events * COSTS.selectedBytes) / 1e6;
  return {
    events,
    diskGb: (events * COSTS.storedBytes) / 1e9,
    selectionMb,
    isKept: selectionMb <= COSTS.largestSelectionMb,
    seconds: (events * COSTS.selectMicroseconds) / 1e6,
  };
}

export const largestCalendar = (skew: number): number => ASSUMED.events * (shares(ASSUMED.calendars, skew)[0] ?? 0);

export interface Fleet {
  processes: number;
  memoryGb: number;
  connections: number;
}

/** `together`: calendars that one process serves. Today that is one. */
export function fleetOf(together: number, connections: number): Fleet {
  const processes = Math.ceil(ASSUMED.calendars / together) * ASSUMED.instances;
  return {
    processes,
    memoryGb: (processes * (COSTS.restMb + (together > 1 ? COSTS.cachesMb : 0))) / 1000,
    connections: processes * together * connections,
  };
}
