-- What happened last to a message is found without reading all that ever did. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- Ends with the version, so that the newest event about a subject is the last of its entries: a message may have
-- thousands of reactions.
CREATE INDEX events_subject_version_idx ON parley.events (stream_id, subject, version) WHERE subject IS NOT NULL;
DROP INDEX parley.events_subject_idx;

RESET ROLE;
