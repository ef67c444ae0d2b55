-- side by side with: 0007
-- Whether a word opens any event is asked with every list that is narrowed and brings one.
CREATE INDEX event_password ON event (password_hash) WHERE password_hash IS NOT NULL;
