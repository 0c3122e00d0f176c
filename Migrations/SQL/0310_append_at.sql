-- The short way into the log, for a lane that knows where its partitions and streams end. Owner: parley_owner; called by
-- the server's role.
--
-- parley.append looks the ends up, which costs more than inserting the events. A lane whose last append was here knows
-- them, and says where its events go; if anybody else has appended since, a place is taken, a unique index refuses the
-- whole batch, and the lane goes by parley.append. The same locks keep commits in the order of positions on both ways.
SET LOCAL ROLE parley_owner;

CREATE FUNCTION parley.append_at(
    distinct_partitions int[], partitions int[], positions bigint[], stream_ids uuid[], categories text[],
    versions bigint[], types text[], schema_versions smallint[], command_ids uuid[], ordinals int[], subjects uuid[],
    actors uuid[], correlation_ids uuid[], recorded_ats timestamptz[], payloads json[], sealed_contents bytea[],
    key_ids uuid[], content_hmacs bytea[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'parley.append_at needs READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    PERFORM FROM parley.log_partitions p WHERE p.partition = ANY (distinct_partitions) ORDER BY p.partition FOR UPDATE;
    INSERT INTO parley.events (
        position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, subject, correlation_id,
        key_id, schema_version, category, type, payload, sealed, content_hmac)
    SELECT
        e.position, e.version, e.recorded_at, e.partition, e.ordinal, e.stream_id, e.command_id, e.actor, e.subject,
        e.correlation_id, e.key_id, e.schema_version, e.category, e.type, e.payload, e.sealed, e.content_hmac
    FROM unnest(
        partitions, positions, stream_ids, categories, versions, types, schema_versions, command_ids, ordinals, subjects,
        actors, correlation_ids, recorded_ats, payloads, sealed_contents, key_ids, content_hmacs
    ) AS e (
        partition, position, stream_id, category, version, type, schema_version, command_id, ordinal, subject,
        actor, correlation_id, recorded_at, payload, sealed, key_id, content_hmac);
END
$$;

REVOKE ALL ON FUNCTION parley.append_at(
    int[], int[], bigint[], uuid[], text[], bigint[], text[], smallint[], uuid[], int[], uuid[], uuid[], uuid[],
    timestamptz[], json[], bytea[], uuid[], bytea[]
) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.append_at(
    int[], int[], bigint[], uuid[], text[], bigint[], text[], smallint[], uuid[], int[], uuid[], uuid[], uuid[],
    timestamptz[], json[], bytea[], uuid[], bytea[]
) TO parley_server;

RESET ROLE;
