-- Whose conversations: what an erasure must tell, found in the log itself, whatever the read models have taken of it.
-- Owner: parley_owner.
--
-- Both indexes are sparse: they hold the beginnings of conversations and the joins alone, so that a message costs no entry
-- but two comparisons of its type. A new kind of event that makes somebody a member gets its index, and its line in the
-- function.
SET LOCAL ROLE parley_owner;

-- The members with whom a conversation starts. Nothing in a payload can fail it, since it is called by appends.
CREATE FUNCTION parley.member_ids(started json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog AS $$
    SELECT coalesce(array_agg(lower(m.value->>'id')), '{}')
    FROM json_array_elements(
        CASE WHEN json_typeof(started->'members') = 'array' THEN started->'members' ELSE '[]'::json END) m
$$;

CREATE INDEX events_started_members_idx ON parley.events USING gin (parley.member_ids(payload))
    WHERE type = 'conversationStarted';
CREATE INDEX events_added_member_idx ON parley.events (subject) WHERE type = 'participantAdded';

CREATE FUNCTION parley.conversations_of(person uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE SET search_path = pg_catalog SET enable_seqscan = off AS $$
    SELECT e.stream_id FROM parley.events e WHERE e.type = 'participantAdded' AND e.subject = person
    UNION
    SELECT e.stream_id FROM parley.events e
    WHERE e.type = 'conversationStarted' AND parley.member_ids(e.payload) @> ARRAY[person::text]
$$;

REVOKE ALL ON FUNCTION parley.conversations_of(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION parley.member_ids(json) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.member_ids(json), parley.conversations_of(uuid) TO parley_server;

RESET ROLE;
