-- Ids come from counters, the same way on every engine.
-- On the sites this interface comes from, term 1 is the blog's own default category: it is never an event's.
INSERT INTO counter (name, value) VALUES ('record', 0), ('term', 1), ('user', 0), ('credential', 0);

-- The servers that run on this database: a change that one of them would not survive waits (see db/migrate.ts).
CREATE TABLE instance (
  id TEXT COLLATE "C" PRIMARY KEY,
  version TEXT NOT NULL,
  host TEXT NOT NULL,
  knows INTEGER NOT NULL,
  seen_at BIGINT NOT NULL
);
