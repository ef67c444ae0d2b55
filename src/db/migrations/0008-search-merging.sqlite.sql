-- side by side with: 0007
-- The index writes a segment for every batch of texts, and merges four of a kind by itself whenever it is written to:
-- which costs ten times what the writing does, in pieces of up to seconds. It is left to us, a few pages at a time, when
-- there are sixteen; only where nobody does so for long it helps itself.
INSERT INTO event_search_index (event_search_index, rank) VALUES ('automerge', 0);
INSERT INTO event_search_index (event_search_index, rank) VALUES ('usermerge', 16);
INSERT INTO event_search_index (event_search_index, rank) VALUES ('crisismerge', 64);
INSERT INTO venue_search_index (venue_search_index, rank) VALUES ('automerge', 0);
INSERT INTO venue_search_index (venue_search_index, rank) VALUES ('usermerge', 16);
INSERT INTO venue_search_index (venue_search_index, rank) VALUES ('crisismerge', 64);
INSERT INTO organizer_search_index (organizer_search_index, rank) VALUES ('automerge', 0);
INSERT INTO organizer_search_index (organizer_search_index, rank) VALUES ('usermerge', 16);
INSERT INTO organizer_search_index (organizer_search_index, rank) VALUES ('crisismerge', 64);
INSERT INTO term_search_index (term_search_index, rank) VALUES ('automerge', 0);
INSERT INTO term_search_index (term_search_index, rank) VALUES ('usermerge', 16);
INSERT INTO term_search_index (term_search_index, rank) VALUES ('crisismerge', 64);
