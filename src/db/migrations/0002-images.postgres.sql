-- Images: the files lie in the media folder, under a random name; the rows tell what they are.
CREATE TABLE image (
  id BIGINT PRIMARY KEY REFERENCES record (id),
  uid TEXT COLLATE "C" NOT NULL UNIQUE,
  author_id BIGINT NOT NULL REFERENCES "user" (id),
  created_at BIGINT NOT NULL,
  file TEXT COLLATE "C" NOT NULL UNIQUE,
  extension TEXT COLLATE "C" NOT NULL,
  mime TEXT COLLATE "C" NOT NULL,
  width BIGINT NOT NULL,
  height BIGINT NOT NULL,
  filesize BIGINT NOT NULL,
  sizes TEXT COLLATE "C" NOT NULL,
  alt TEXT COLLATE "C" NOT NULL,
  source_url TEXT COLLATE "C" UNIQUE
);
CREATE INDEX image_author ON image (author_id, id);
