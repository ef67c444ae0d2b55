-- side by side with: 0003
-- What changed, in the order of commits: so that every server forgets what it keeps in memory, and nothing else.
-- An event is noted with the days it began on (days since the year 0, UTC) before and after.
CREATE TABLE change_log (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL,
  id BIGINT NOT NULL,
  day_before BIGINT,
  day_after BIGINT
);

CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO change_log (kind, id, day_before, day_after) VALUES ('event', coalesce(NEW.id, OLD.id), (OLD.start_utc + 62167219200) / 86400, (NEW.start_utc + 62167219200) / 86400); RETURN NULL; END $$;
CREATE FUNCTION note_record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO change_log (kind, id) VALUES (TG_TABLE_NAME, coalesce(NEW.id, OLD.id)); RETURN NULL; END $$;
CREATE TRIGGER event_noted AFTER INSERT OR UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION note_event();
CREATE TRIGGER venue_noted AFTER INSERT OR UPDATE OR DELETE ON venue FOR EACH ROW EXECUTE FUNCTION note_record();
CREATE TRIGGER organizer_noted AFTER INSERT OR UPDATE OR DELETE ON organizer FOR EACH ROW EXECUTE FUNCTION note_record();
CREATE TRIGGER term_noted AFTER INSERT OR UPDATE OR DELETE ON term FOR EACH ROW EXECUTE FUNCTION note_record();
CREATE TRIGGER image_noted AFTER INSERT OR UPDATE OR DELETE ON image FOR EACH ROW EXECUTE FUNCTION note_record();

-- Events lose what is removed for good; they are not written themselves.
CREATE FUNCTION note_venue_leaving() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM venue WHERE id = OLD.venue_id) THEN INSERT INTO change_log (kind, id, day_before, day_after) SELECT 'event', id, (event.start_utc + 62167219200) / 86400, (event.start_utc + 62167219200) / 86400 FROM event WHERE id = OLD.event_id; END IF; RETURN NULL; END $$;
CREATE TRIGGER venue_leaves AFTER DELETE ON event_venue FOR EACH ROW EXECUTE FUNCTION note_venue_leaving();
CREATE FUNCTION note_organizer_leaving() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM organizer WHERE id = OLD.organizer_id) THEN INSERT INTO change_log (kind, id, day_before, day_after) SELECT 'event', id, (event.start_utc + 62167219200) / 86400, (event.start_utc + 62167219200) / 86400 FROM event WHERE id = OLD.event_id; END IF; RETURN NULL; END $$;
CREATE TRIGGER organizer_leaves AFTER DELETE ON event_organizer FOR EACH ROW EXECUTE FUNCTION note_organizer_leaving();
CREATE FUNCTION note_term_leaving() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM term WHERE id = OLD.term_id) THEN INSERT INTO change_log (kind, id, day_before, day_after) SELECT 'event', id, (event.start_utc + 62167219200) / 86400, (event.start_utc + 62167219200) / 86400 FROM event WHERE id = OLD.event_id; END IF; RETURN NULL; END $$;
CREATE TRIGGER term_leaves AFTER DELETE ON event_term FOR EACH ROW EXECUTE FUNCTION note_term_leaving();
