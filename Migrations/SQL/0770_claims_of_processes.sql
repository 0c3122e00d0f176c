-- Which process has claimed what. Owner: parley_owner.
--
-- The key of the process's lock (decision 0068): where no session holds it any more, others give the claim back and need not
-- wait for its end. NULL for a claim that lasts for its time, such as one of an older program. There is no index: the tables are
-- read through once when a process has gone.
SET LOCAL ROLE parley_owner;

ALTER TABLE parley.scheduled_messages ADD COLUMN claimed_by int;
ALTER TABLE parley.turns ADD COLUMN claimed_by int;
ALTER TABLE parley.push_notifications ADD COLUMN claimed_by int;
ALTER TABLE parley.webhook_places ADD COLUMN claimed_by int;

-- What was claimed by a process that is gone has no claim, but may be under way until its end: it may be sent, which the log
-- makes once of any number of times, and not be changed or withdrawn.
ALTER TABLE parley.scheduled_messages DROP CONSTRAINT scheduled_messages_claim_ends;
ALTER TABLE parley.scheduled_messages ADD CONSTRAINT scheduled_messages_claim_ends
    CHECK (claim IS NULL OR claimed_until IS NOT NULL);

RESET ROLE;
