-- side by side with: 0003
-- What instances that share this database have to know of each other.

-- One row for each Idempotency-Key of a caller. Without an answer its request is still running: claim says whose it is,
-- expires_at when it is given up. With an answer it is repeated to the same request until expires_at.
CREATE TABLE request_key (
  user_id INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  claim TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  answer TEXT,
  PRIMARY KEY (user_id, name)
) STRICT;
CREATE INDEX request_key_expires ON request_key (expires_at);

-- How often somebody did what is limited: wrong credentials, wrong event passwords, writes. who is a keyed hash.
CREATE TABLE tally (
  who TEXT PRIMARY KEY,
  n INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tally_expires ON tally (expires_at);
