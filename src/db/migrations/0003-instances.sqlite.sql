-- Ids come from counters, the same way on every engine.
INSERT INTO counter (name, value)
  SELECT column1, coalesce((SELECT seq FROM sqlite_sequence WHERE name = column1), 0)
  FROM (VALUES ('record'), ('term'), ('user'), ('credential'));

-- The servers that run on this database: a change that one of them would not survive waits (see db/migrate.ts).
CREATE TABLE instance (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  host TEXT NOT NULL,
  knows INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
