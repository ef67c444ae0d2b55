-- The calendar's tables on SQLite.
-- Instants are seconds since 1970 UTC; wall clocks are 'YYYY-MM-DD HH:MM:SS' in the record's own zone.
-- revision counts the changes of one record (iCalendar SEQUENCE), change_seq is the site-wide counter at its last change.

CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, value) VALUES ('change', 0);

CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE user (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  username TEXT NOT NULL,
  username_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('administrator', 'editor', 'author', 'contributor', 'subscriber')),
  created_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;

-- Application passwords and API tokens: secrets that we made, kept as keyed hashes.
CREATE TABLE credential (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('password', 'token')),
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX credential_user ON credential (user_id);
CREATE INDEX credential_hash ON credential (hash);

-- One space of ids for events, venues, organizers and images: the row stays when the record is removed for good.
CREATE TABLE record (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL
) STRICT;

CREATE TABLE tombstone (
  kind TEXT NOT NULL,
  id INTEGER NOT NULL,
  uid TEXT NOT NULL,
  change_seq INTEGER NOT NULL,
  removed_at INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_change ON tombstone (change_seq);

CREATE TABLE event (
  id INTEGER PRIMARY KEY REFERENCES record (id),
  uid TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  change_seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  author_id INTEGER NOT NULL REFERENCES user (id),
  status TEXT NOT NULL CHECK (status IN ('publish', 'future', 'draft', 'pending', 'private', 'trash')),
  status_before_trash TEXT,
  date_utc INTEGER NOT NULL,
  modified_utc INTEGER NOT NULL,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  excerpt TEXT NOT NULL,
  password_hash TEXT,
  image_id INTEGER REFERENCES record (id),
  all_day INTEGER NOT NULL,
  timezone TEXT NOT NULL,
  start_local TEXT NOT NULL,
  end_local TEXT NOT NULL,
  start_utc INTEGER NOT NULL,
  end_utc INTEGER NOT NULL,
  cost TEXT NOT NULL,
  website TEXT,
  show_map INTEGER NOT NULL,
  show_map_link INTEGER NOT NULL,
  hide_from_listings INTEGER NOT NULL,
  sticky INTEGER NOT NULL,
  featured INTEGER NOT NULL,
  ticketed INTEGER NOT NULL,
  tickets TEXT,
  parent_id INTEGER REFERENCES event (id) ON DELETE SET NULL,
  custom_fields TEXT,
  lineage TEXT
) STRICT;
CREATE UNIQUE INDEX event_slug ON event (slug) WHERE slug <> '';
CREATE INDEX event_listed ON event (status, hide_from_listings, start_utc, date_utc, id, end_utc, author_id);
CREATE INDEX event_start ON event (start_utc, date_utc, id);
CREATE INDEX event_author ON event (author_id, status, start_utc);
CREATE INDEX event_parent ON event (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX event_due ON event (date_utc) WHERE status = 'future';
CREATE INDEX event_change ON event (change_seq);
CREATE INDEX event_image ON event (image_id) WHERE image_id IS NOT NULL;

CREATE TABLE venue (
  id INTEGER PRIMARY KEY REFERENCES record (id),
  uid TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  change_seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  author_id INTEGER NOT NULL REFERENCES user (id),
  status TEXT NOT NULL CHECK (status IN ('publish', 'future', 'draft', 'pending', 'private', 'trash')),
  status_before_trash TEXT,
  date_utc INTEGER NOT NULL,
  modified_utc INTEGER NOT NULL,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  image_id INTEGER REFERENCES record (id),
  address TEXT NOT NULL,
  city TEXT NOT NULL,
  country TEXT NOT NULL,
  province TEXT NOT NULL,
  state TEXT NOT NULL,
  zip TEXT NOT NULL,
  phone TEXT NOT NULL,
  website TEXT NOT NULL,
  stateprovince TEXT NOT NULL,
  geo_lat REAL,
  geo_lng REAL,
  geo_x REAL,
  geo_y REAL,
  geo_z REAL,
  show_map INTEGER NOT NULL,
  show_map_link INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX venue_slug ON venue (slug) WHERE slug <> '';
CREATE INDEX venue_listed ON venue (status, date_utc, id, author_id);
CREATE INDEX venue_newest ON venue (date_utc, id);
CREATE INDEX venue_name ON venue (name_key);
CREATE INDEX venue_author ON venue (author_id);
CREATE INDEX venue_due ON venue (date_utc) WHERE status = 'future';
CREATE INDEX venue_change ON venue (change_seq);
CREATE INDEX venue_image ON venue (image_id) WHERE image_id IS NOT NULL;

-- Points on the unit sphere: a box around a point in three dimensions has no date line and no poles.
CREATE VIRTUAL TABLE venue_place USING rtree (id, x0, x1, y0, y1, z0, z1);

CREATE TABLE organizer (
  id INTEGER PRIMARY KEY REFERENCES record (id),
  uid TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  change_seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  author_id INTEGER NOT NULL REFERENCES user (id),
  status TEXT NOT NULL CHECK (status IN ('publish', 'future', 'draft', 'pending', 'private', 'trash')),
  status_before_trash TEXT,
  date_utc INTEGER NOT NULL,
  modified_utc INTEGER NOT NULL,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  image_id INTEGER REFERENCES record (id),
  phone TEXT NOT NULL,
  website TEXT NOT NULL,
  email TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX organizer_slug ON organizer (slug) WHERE slug <> '';
CREATE INDEX organizer_listed ON organizer (status, date_utc, id, author_id);
CREATE INDEX organizer_newest ON organizer (date_utc, id);
CREATE INDEX organizer_name ON organizer (name_key);
CREATE INDEX organizer_author ON organizer (author_id);
CREATE INDEX organizer_due ON organizer (date_utc) WHERE status = 'future';
CREATE INDEX organizer_change ON organizer (change_seq);
CREATE INDEX organizer_image ON organizer (image_id) WHERE image_id IS NOT NULL;

CREATE TABLE event_venue (
  event_id INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  venue_id INTEGER NOT NULL REFERENCES venue (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  PRIMARY KEY (event_id, venue_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_venue_venue ON event_venue (venue_id, event_id);

CREATE TABLE event_organizer (
  event_id INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  organizer_id INTEGER NOT NULL REFERENCES organizer (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  PRIMARY KEY (event_id, organizer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_organizer_organizer ON event_organizer (organizer_id, event_id);

-- Categories and tags share one space of ids, as clients of the interface expect.
-- count is the number of published events that carry the term, kept in step by every write of an event.
CREATE TABLE term (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('category', 'tag')),
  uid TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  change_seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  slug TEXT NOT NULL,
  description TEXT NOT NULL,
  parent_id INTEGER REFERENCES term (id),
  count INTEGER NOT NULL
) STRICT;
-- On the sites this interface comes from, term 1 is the blog's own default category: it is never an event's.
INSERT INTO sqlite_sequence (name, seq) VALUES ('term', 1);
CREATE UNIQUE INDEX term_slug ON term (kind, slug);
CREATE INDEX term_name ON term (kind, name_key, id);
CREATE INDEX term_parent ON term (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX term_change ON term (change_seq);

CREATE TABLE event_term (
  event_id INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  term_id INTEGER NOT NULL REFERENCES term (id) ON DELETE CASCADE,
  PRIMARY KEY (event_id, term_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_term_term ON event_term (term_id, event_id);

-- Part-of-word search: folded text (see text/search.ts), cut into trigrams by the engine.
CREATE VIRTUAL TABLE event_search USING fts5 (text, tokenize = 'trigram case_sensitive 1');
CREATE VIRTUAL TABLE venue_search USING fts5 (text, tokenize = 'trigram case_sensitive 1');
CREATE VIRTUAL TABLE organizer_search USING fts5 (text, tokenize = 'trigram case_sensitive 1');
CREATE VIRTUAL TABLE term_search USING fts5 (text, tokenize = 'trigram case_sensitive 1');
