-- The calendar's tables on PostgreSQL.
-- Instants are seconds since 1970 UTC; wall clocks are 'YYYY-MM-DD HH:MM:SS' in the record's own zone.
-- revision counts the changes of one record (iCalendar SEQUENCE), change_seq is the site-wide counter at its last change.

CREATE TABLE counter (
  name TEXT COLLATE "C" PRIMARY KEY,
  value BIGINT NOT NULL
);
INSERT INTO counter (name, value) VALUES ('change', 0);

CREATE TABLE setting (
  name TEXT COLLATE "C" PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);

CREATE TABLE "user" (
  id BIGINT PRIMARY KEY,
  username TEXT COLLATE "C" NOT NULL,
  username_key TEXT COLLATE "C" NOT NULL UNIQUE,
  role TEXT COLLATE "C" NOT NULL CHECK (role IN ('administrator', 'editor', 'author', 'contributor', 'subscriber')),
  created_at BIGINT NOT NULL,
  removed_at BIGINT
);

-- Application passwords and API tokens: secrets that we made, kept as keyed hashes.
CREATE TABLE credential (
  id BIGINT PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('password', 'token')),
  name TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX credential_user ON credential (user_id);
CREATE INDEX credential_hash ON credential (hash);

-- One space of ids for events, venues, organizers and images: the row stays when the record is removed for good.
CREATE TABLE record (
  id BIGINT PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL
);

CREATE TABLE tombstone (
  kind TEXT COLLATE "C" NOT NULL,
  id BIGINT NOT NULL,
  uid TEXT COLLATE "C" NOT NULL,
  change_seq BIGINT NOT NULL,
  removed_at BIGINT NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX tombstone_change ON tombstone (change_seq);

CREATE TABLE event (
  id BIGINT PRIMARY KEY REFERENCES record (id),
  uid TEXT COLLATE "C" NOT NULL UNIQUE,
  revision BIGINT NOT NULL,
  change_seq BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  author_id BIGINT NOT NULL REFERENCES "user" (id),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('publish', 'future', 'draft', 'pending', 'private', 'trash')),
  status_before_trash TEXT COLLATE "C",
  date_utc BIGINT NOT NULL,
  modified_utc BIGINT NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  title TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  excerpt TEXT COLLATE "C" NOT NULL,
  password_hash TEXT COLLATE "C",
  image_id BIGINT REFERENCES record (id),
  all_day SMALLINT NOT NULL,
  timezone TEXT COLLATE "C" NOT NULL,
  start_local TEXT COLLATE "C" NOT NULL,
  end_local TEXT COLLATE "C" NOT NULL,
  start_utc BIGINT NOT NULL,
  end_utc BIGINT NOT NULL,
  cost TEXT COLLATE "C" NOT NULL,
  website TEXT COLLATE "C",
  show_map SMALLINT NOT NULL,
  show_map_link SMALLINT NOT NULL,
  hide_from_listings SMALLINT NOT NULL,
  sticky SMALLINT NOT NULL,
  featured SMALLINT NOT NULL,
  ticketed SMALLINT NOT NULL,
  tickets TEXT COLLATE "C",
  parent_id BIGINT REFERENCES event (id) ON DELETE SET NULL,
  custom_fields TEXT COLLATE "C",
  lineage TEXT COLLATE "C"
);
CREATE UNIQUE INDEX event_slug ON event (slug) WHERE slug <> '';
CREATE INDEX event_listed ON event (status, hide_from_listings, start_utc, date_utc, id, end_utc, author_id);
CREATE INDEX event_start ON event (start_utc, date_utc, id);
CREATE INDEX event_author ON event (author_id, status, start_utc);
CREATE INDEX event_parent ON event (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX event_due ON event (date_utc) WHERE status = 'future';
CREATE INDEX event_change ON event (change_seq);
CREATE INDEX event_image ON event (image_id) WHERE image_id IS NOT NULL;

CREATE TABLE venue (
  id BIGINT PRIMARY KEY REFERENCES record (id),
  uid TEXT COLLATE "C" NOT NULL UNIQUE,
  revision BIGINT NOT NULL,
  change_seq BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  author_id BIGINT NOT NULL REFERENCES "user" (id),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('publish', 'future', 'draft', 'pending', 'private', 'trash')),
  status_before_trash TEXT COLLATE "C",
  date_utc BIGINT NOT NULL,
  modified_utc BIGINT NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  image_id BIGINT REFERENCES record (id),
  address TEXT COLLATE "C" NOT NULL,
  city TEXT COLLATE "C" NOT NULL,
  country TEXT COLLATE "C" NOT NULL,
  province TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  zip TEXT COLLATE "C" NOT NULL,
  phone TEXT COLLATE "C" NOT NULL,
  website TEXT COLLATE "C" NOT NULL,
  stateprovince TEXT COLLATE "C" NOT NULL,
  geo_lat DOUBLE PRECISION,
  geo_lng DOUBLE PRECISION,
  geo_x DOUBLE PRECISION,
  geo_y DOUBLE PRECISION,
  geo_z DOUBLE PRECISION,
  show_map SMALLINT NOT NULL,
  show_map_link SMALLINT NOT NULL
);
CREATE UNIQUE INDEX venue_slug ON venue (slug) WHERE slug <> '';
CREATE INDEX venue_listed ON venue (status, date_utc, id, author_id);
CREATE INDEX venue_newest ON venue (date_utc, id);
CREATE INDEX venue_name ON venue (name_key);
CREATE INDEX venue_author ON venue (author_id);
CREATE INDEX venue_due ON venue (date_utc) WHERE status = 'future';
CREATE INDEX venue_change ON venue (change_seq);
CREATE INDEX venue_image ON venue (image_id) WHERE image_id IS NOT NULL;

-- Points on the unit sphere: a box around a point in three dimensions has no date line and no poles. Two planes make one.
CREATE INDEX venue_place ON venue USING gist (point(geo_x, geo_y), point(geo_y, geo_z)) WHERE geo_x IS NOT NULL;

CREATE TABLE organizer (
  id BIGINT PRIMARY KEY REFERENCES record (id),
  uid TEXT COLLATE "C" NOT NULL UNIQUE,
  revision BIGINT NOT NULL,
  change_seq BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  author_id BIGINT NOT NULL REFERENCES "user" (id),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('publish', 'future', 'draft', 'pending', 'private', 'trash')),
  status_before_trash TEXT COLLATE "C",
  date_utc BIGINT NOT NULL,
  modified_utc BIGINT NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  image_id BIGINT REFERENCES record (id),
  phone TEXT COLLATE "C" NOT NULL,
  website TEXT COLLATE "C" NOT NULL,
  email TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX organizer_slug ON organizer (slug) WHERE slug <> '';
CREATE INDEX organizer_listed ON organizer (status, date_utc, id, author_id);
CREATE INDEX organizer_newest ON organizer (date_utc, id);
CREATE INDEX organizer_name ON organizer (name_key);
CREATE INDEX organizer_author ON organizer (author_id);
CREATE INDEX organizer_due ON organizer (date_utc) WHERE status = 'future';
CREATE INDEX organizer_change ON organizer (change_seq);
CREATE INDEX organizer_image ON organizer (image_id) WHERE image_id IS NOT NULL;

CREATE TABLE event_venue (
  event_id BIGINT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  venue_id BIGINT NOT NULL REFERENCES venue (id) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  PRIMARY KEY (event_id, venue_id)
);
CREATE INDEX event_venue_venue ON event_venue (venue_id, event_id);

CREATE TABLE event_organizer (
  event_id BIGINT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  organizer_id BIGINT NOT NULL REFERENCES organizer (id) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  PRIMARY KEY (event_id, organizer_id)
);
CREATE INDEX event_organizer_organizer ON event_organizer (organizer_id, event_id);

-- Categories and tags share one space of ids, as clients of the interface expect.
-- count is the number of published events that carry the term, kept in step by every write of an event.
CREATE TABLE term (
  id BIGINT PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('category', 'tag')),
  uid TEXT COLLATE "C" NOT NULL UNIQUE,
  revision BIGINT NOT NULL,
  change_seq BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  parent_id BIGINT REFERENCES term (id),
  count BIGINT NOT NULL
);
CREATE UNIQUE INDEX term_slug ON term (kind, slug);
CREATE INDEX term_name ON term (kind, name_key, id);
CREATE INDEX term_parent ON term (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX term_change ON term (change_seq);

CREATE TABLE event_term (
  event_id BIGINT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  term_id BIGINT NOT NULL REFERENCES term (id) ON DELETE CASCADE,
  PRIMARY KEY (event_id, term_id)
);
CREATE INDEX event_term_term ON event_term (term_id, event_id);

-- Part-of-word search: folded text (see text/search.ts). The trigram index is made apart (db/postgres-dialect.ts), since
-- not everybody may make the extension that it needs.
CREATE TABLE event_search (
  id BIGINT PRIMARY KEY,
  text TEXT COLLATE "C" NOT NULL
);
CREATE TABLE venue_search (
  id BIGINT PRIMARY KEY,
  text TEXT COLLATE "C" NOT NULL
);
CREATE TABLE organizer_search (
  id BIGINT PRIMARY KEY,
  text TEXT COLLATE "C" NOT NULL
);
CREATE TABLE term_search (
  id BIGINT PRIMARY KEY,
  text TEXT COLLATE "C" NOT NULL
);
