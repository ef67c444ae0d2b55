-- side by side with: 0007
-- People who signed in on a page. A session rests on the password that it was begun with.
CREATE TABLE session (
  hash TEXT COLLATE "C" PRIMARY KEY,
  credential_id BIGINT NOT NULL REFERENCES credential (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
CREATE INDEX session_credential ON session (credential_id, expires_at);
CREATE INDEX session_expires ON session (expires_at);
