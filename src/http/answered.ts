import { Counter, type Metric, type MetricValueWithName, type Registry } from 'prom-client';

/**
 * Responses, counted in plain numbers that are passed to the library only when metrics are requested: its own histogram
 * looks up its bucket anew for every value, which takes longer than many a response.
 */

export interface Answered {
  method: string;
  route: string;
  status: number;
  ms: number;
}

/** In seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

interface Place {
  labels: { method: string; route: string };
  /** Responses by status. */
  statuses: Map<number, number>;
  /** Responses that took at most the bound at the same index, but longer than the one before; last: the rest. */
  within: number[];
  seconds: number;
}

export function countAnswers(registry: Registry): (answered: Answered) => void {
  const places = new Map<string, Map<string, Place>>();
  const all = (): Place[] => [...places.values()].flatMap((methods) => [...methods.values()]);
  new Counter({
    name: 'kalends_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, statuses } of all()) {
        for (const [status, count] of statuses) this.inc({ ...labels, status }, count);
      }
    },
  });
  const name = 'kalends_http_request_duration_seconds';
  const about = { name, help: 'Time to answer', type: 'histogram', aggregator: 'sum' };
  const get = async () => ({ ...about, values: all().flatMap((place) => valuesOf(name, place)) });
  registry.registerMetric({ ...about, get } as unknown as Metric);

  function placeOf(method: string, route: string): Place {
    let methods = places.get(route);
    if (!methods) {
      methods = new Map();
      places.set(route, methods);
    }
    let place = methods.get(method);
    if (!place) {
      place = { labels: { method, route }, statuses: new Map(), within: BOUNDS.map(() => 0).concat(0), seconds: 0 };
      methods.set(method, place);
    }
    return place;
  }

  return ({ method, route, status, ms }) => {
    const place = placeOf(method, route);
    place.statuses.set(status, (place.statuses.get(status) ?? 0) + 1);
    const seconds = ms / 1000;
    let at = 0;
    while (at < BOUNDS.length && seconds > (BOUNDS[at] as number)) at++;
    place.within[at] = (place.within[at] as number) + 1;
    place.seconds += seconds;
  };
}

function valuesOf(name: string, { labels, within, seconds }: Place): MetricValueWithName<string>[] {
  let count = 0;
  const buckets = within.map((more, at) => {
    count += more;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: BOUNDS[at] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
