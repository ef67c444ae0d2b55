import type { Db, Query } from './database.js';

/** Stands for a value while a statement is built. */
class Place {
  constructor(readonly at: number) {}
}

/**
 * A statement whose text never changes: put together once for each engine, then only given its values. Worth while
 * where it is sent with every request; building it takes longer than running it.
 */
export function fixed<Values extends unknown[], Row>(
  build: (db: Db, ...values: Values) => Query<Row>,
): (db: Db, ...values: Values) => Query<Row> {
  const built = new Map<Db['q'], { sql: string; places: unknown[] }>();
  return (db, ...values) => {
    let known = built.get(db.q);
    if (!known) {
      const marked = values.map((_, at) => new Place(at)) as unknown as Values;
      const { sql, parameters } = build(db, ...marked).compile(db.q);
      known = { sql, places: [...parameters] };
      built.set(db.q, known);
    }
    const { sql, places } = known;
    const parameters = places.map((place) => (place instanceof Place ? values[place.at] : place));
    return { compile: () => ({ sql, parameters }) } as unknown as Query<Row>;
  };
}
