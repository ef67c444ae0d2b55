-- side by side with: 0003
-- What changed, in the order of commits: so that every server forgets what it keeps in memory, and nothing else.
-- An event is noted with the days it began on (days since the year 0, UTC) before and after.
CREATE TABLE change_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  id INTEGER NOT NULL,
  day_before INTEGER,
  day_after INTEGER
) STRICT;

CREATE TRIGGER event_made AFTER INSERT ON event BEGIN INSERT INTO change_log (kind, id, day_after) VALUES ('event', new.id, (new.start_utc + 62167219200) / 86400); END;
CREATE TRIGGER event_changed AFTER UPDATE ON event BEGIN INSERT INTO change_log (kind, id, day_before, day_after) VALUES ('event', new.id, (old.start_utc + 62167219200) / 86400, (new.start_utc + 62167219200) / 86400); END;
CREATE TRIGGER event_gone AFTER DELETE ON event BEGIN INSERT INTO change_log (kind, id, day_before) VALUES ('event', old.id, (old.start_utc + 62167219200) / 86400); END;
CREATE TRIGGER venue_made AFTER INSERT ON venue BEGIN INSERT INTO change_log (kind, id) VALUES ('venue', new.id); END;
CREATE TRIGGER venue_changed AFTER UPDATE ON venue BEGIN INSERT INTO change_log (kind, id) VALUES ('venue', new.id); END;
CREATE TRIGGER venue_gone AFTER DELETE ON venue BEGIN INSERT INTO change_log (kind, id) VALUES ('venue', old.id); END;
CREATE TRIGGER organizer_made AFTER INSERT ON organizer BEGIN INSERT INTO change_log (kind, id) VALUES ('organizer', new.id); END;
CREATE TRIGGER organizer_changed AFTER UPDATE ON organizer BEGIN INSERT INTO change_log (kind, id) VALUES ('organizer', new.id); END;
CREATE TRIGGER organizer_gone AFTER DELETE ON organizer BEGIN INSERT INTO change_log (kind, id) VALUES ('organizer', old.id); END;
CREATE TRIGGER term_made AFTER INSERT ON term BEGIN INSERT INTO change_log (kind, id) VALUES ('term', new.id); END;
CREATE TRIGGER term_changed AFTER UPDATE ON term BEGIN INSERT INTO change_log (kind, id) VALUES ('term', new.id); END;
CREATE TRIGGER term_gone AFTER DELETE ON term BEGIN INSERT INTO change_log (kind, id) VALUES ('term', old.id); END;
CREATE TRIGGER image_made AFTER INSERT ON image BEGIN INSERT INTO change_log (kind, id) VALUES ('image', new.id); END;
CREATE TRIGGER image_changed AFTER UPDATE ON image BEGIN INSERT INTO change_log (kind, id) VALUES ('image', new.id); END;
CREATE TRIGGER image_gone AFTER DELETE ON image BEGIN INSERT INTO change_log (kind, id) VALUES ('image', old.id); END;

-- Events lose what is removed for good; they are not written themselves.
CREATE TRIGGER venue_leaves AFTER DELETE ON event_venue WHEN NOT EXISTS (SELECT 1 FROM venue WHERE id = old.venue_id) BEGIN INSERT INTO change_log (kind, id, day_before, day_after) SELECT 'event', id, (event.start_utc + 62167219200) / 86400, (event.start_utc + 62167219200) / 86400 FROM event WHERE id = old.event_id; END;
CREATE TRIGGER organizer_leaves AFTER DELETE ON event_organizer WHEN NOT EXISTS (SELECT 1 FROM organizer WHERE id = old.organizer_id) BEGIN INSERT INTO change_log (kind, id, day_before, day_after) SELECT 'event', id, (event.start_utc + 62167219200) / 86400, (event.start_utc + 62167219200) / 86400 FROM event WHERE id = old.event_id; END;
CREATE TRIGGER term_leaves AFTER DELETE ON event_term WHEN NOT EXISTS (SELECT 1 FROM term WHERE id = old.term_id) BEGIN INSERT INTO change_log (kind, id, day_before, day_after) SELECT 'event', id, (event.start_utc + 62167219200) / 86400, (event.start_utc + 62167219200) / 86400 FROM event WHERE id = old.event_id; END;
