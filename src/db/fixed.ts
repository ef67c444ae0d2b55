import type { Db, Query } from './database.js';

/** Stands for a value while a statement is built. */
class Place {
  constructor(readonly at: number) {}
}

/**
 * A statement whose text never changes: it is built once per engine, and then only gets its values. Worthwhile for
 * statements of every request: building one takes longer than running it.
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
