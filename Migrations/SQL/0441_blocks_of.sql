-- Whom a person has blocked is told of the person's erasure, too, whether the two have ever talked. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- Sparse: it holds the blocks alone.
CREATE INDEX events_blocker_idx ON parley.events (actor) WHERE type = 'blockChanged';

CREATE OR REPLACE FUNCTION parley.conversations_of(person uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE SET search_path = pg_catalog SET enable_seqscan = off AS $$
    SELECT e.stream_id FROM parley.events e WHERE e.type = 'participantAdded' AND e.subject = person
    UNION
    SELECT e.stream_id FROM parley.events e
    WHERE e.type = 'conversationStarted' AND parley.member_ids(e.payload) @> ARRAY[person::text]
    UNION
    SELECT e.stream_id FROM parley.events e WHERE e.type = 'blockChanged' AND e.actor = person
$$;

RESET ROLE;
