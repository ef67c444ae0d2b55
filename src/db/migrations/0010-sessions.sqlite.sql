-- side by side with: 0007
-- People who signed in on a page. A session rests on the password that it was begun with.
CREATE TABLE session (
  hash TEXT PRIMARY KEY,
  credential_id INTEGER NOT NULL REFERENCES credential (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_credential ON session (credential_id, expires_at);
CREATE INDEX session_expires ON session (expires_at);
