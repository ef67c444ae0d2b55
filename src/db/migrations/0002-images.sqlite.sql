-- Images: the files lie in the media folder, under a random name; the rows tell what they are.
CREATE TABLE image (
  id INTEGER PRIMARY KEY REFERENCES record (id),
  uid TEXT NOT NULL UNIQUE,
  author_id INTEGER NOT NULL REFERENCES user (id),
  created_at INTEGER NOT NULL,
  file TEXT NOT NULL UNIQUE,
  extension TEXT NOT NULL,
  mime TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  filesize INTEGER NOT NULL,
  sizes TEXT NOT NULL,
  alt TEXT NOT NULL,
  source_url TEXT UNIQUE
) STRICT;
CREATE INDEX image_author ON image (author_id, id);
