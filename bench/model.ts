/**
 * A model of Kalends at a size that no machine here has: many calendars, a CDN in front, writers and their lock.
 * No clock and no chance in it: the same parameters give the same table. docs/scaling.md says what is left out.
 */

/** Of one request on one process. `measured` in docs/scaling.md, with the machine and its load. */
export const COSTS = {
  /** Milliseconds of processor time: an answer that is kept, one that is put together, a create. */
  keptMs: 0.07,
  builtMs: 0.4,
  createMs: 1.3,
  /** Of building a selection, for each event that it holds. */
  selectMicroseconds: 2,
  /** Memory of a process without work, and the most that its caches take; megabytes. */
  restMb: 80,
  cachesMb: 111,
  /** What a selection takes for each event, and the largest that is kept (records/selection.ts). */
  selectedBytes: 17,
  largestSelectionMb: 48,
  /** On disk, indexes included. */
  storedBytes: 3200,
  /** Ways to the database of a plain create while it holds the lock: the beginning, what it asks, what it writes, the commit. */
  ways: 4,
};

/** Chosen, not measured: a machine room, and a disk with a battery. */
export const ASSUMED = {
  calendars: 10_000,
  events: 100_000_000,
  readsPerSecond: 100_000,
  /** Share of the n-th calendar and of the n-th question: proportional to n to the power of minus this. */
  skew: 1,
  questions: 100,
  /** Shares of what makes variants of one address. */
  languages: [0.8, 0.2],
  encodings: [0.9, 0.1],
  /** Instances that serve one calendar. */
  instances: 2,
  roundTripMs: 0.25,
  commitMs: 1,
  /** How busy a processor may be before those who wait are noticed. */
  busy: 0.6,
};

export function shares(many: number, skew: number): Float64Array {
  const weights = Float64Array.from({ length: many }, (_, n) => (n + 1) ** -skew);
  const all = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / all);
}

export interface Edge {
  /** Places that keep answers apart from each other; 0: nobody keeps any. */
  places: number;
  /** How long they are kept, in seconds. */
  seconds: number;
}

export interface Reads {
  /** Requests that reach instances, each second. */
  origin: number;
  /** Share of all reads that the edge answers. */
  hits: number;
  /** Share of what reaches instances that they have ready. */
  kept: number;
  cores: number;
}

/** Those who ask come at random times, and writes too: so a thing that is kept for a time is fetched once in that time and the gap before the next asker. */
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
        // Each instance forgets with every write of its calendar, and keeps one answer for all encodings.
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
  /** Most that one calendar can take each second. */
  most: number;
  /** Share of the time that the lock of the largest calendar is held; above 1 its writers are refused. */
  held: number;
  /** Milliseconds that a write of the largest calendar waits for others. */
  waits: number;
  cores: number;
}

/** One writer at a time for each calendar; those who wait together share a commit. */
export function writesOf(writesPerRead: number, roundTripMs = ASSUMED.roundTripMs): Writes {
  const { readsPerSecond, calendars, skew, commitMs, busy } = ASSUMED;
  const all = readsPerSecond * writesPerRead;
  const largest = all * (shares(calendars, skew)[0] ?? 0);
  const own = COSTS.ways * roundTripMs;
  // Begin with the lock, and commit: once for a group, which is as large as 64 when many wait.
  const around = 2 * roundTripMs + commitMs;
  const most = 1000 / (own + around / 64);
  const alone = own + around;
  const held = largest / most;
  // A queue with one server and even service times, while it is not full.
  const waits =
    held < 1 ? (Math.min(held, 0.999) * alone) / (2 * (1 - Math.min(held, 0.999))) : Number.POSITIVE_INFINITY;
  return { all, largest, most, held, waits, cores: (all * COSTS.createMs) / 1000 / busy };
}

export interface Size {
  events: number;
  diskGb: number;
  /** Of the list without filters, in one process. */
  selectionMb: number;
  isKept: boolean;
  /** To build it once. */
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
