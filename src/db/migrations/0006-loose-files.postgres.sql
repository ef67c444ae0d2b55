-- Files of pictures that no row names, noted so that they can be removed: on their way to a row, or given up (0).
CREATE TABLE loose_file (
  file TEXT COLLATE "C" PRIMARY KEY,
  names TEXT NOT NULL,
  noted_at BIGINT NOT NULL
);
CREATE INDEX loose_file_age ON loose_file (noted_at);
