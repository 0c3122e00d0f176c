-- What lanes need beside the two ways into the log. Owner: parley_owner; called by the server's role.
SET LOCAL ROLE parley_owner;

-- Keeps everybody else from appending to partitions until the transaction ends. A lane that meets another process decides
-- again under these locks, so that it is never overtaken twice.
CREATE FUNCTION parley.lock_partitions(partitions int[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'parley.lock_partitions needs READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    -- Ascending, as in the appends, so that two never deadlock.
    PERFORM FROM parley.log_partitions p WHERE p.partition = ANY (partitions) ORDER BY p.partition FOR UPDATE;
END
$$;

-- The short way into the log, for a lane that knows where its partitions and streams end; takes the place of the one
-- without causes, which stays for processes of the version before.
--
-- A unique index refuses a place that is taken. What is not taken must follow what is there: a memory that is ahead of the
-- log, as after a failover that lost commits, never writes a hole. SQLSTATE PY001 says so.
CREATE FUNCTION parley.append_at(
    distinct_partitions int[], partitions int[], positions bigint[], stream_ids uuid[], categories text[],
    versions bigint[], types text[], schema_versions smallint[], command_ids uuid[], ordinals int[], subjects uuid[],
    actors uuid[], correlation_ids uuid[], causation_ids uuid[], recorded_ats timestamptz[], payloads json[],
    sealed_contents bytea[], key_ids uuid[], content_hmacs bytea[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog
-- Index probes are always right here, whatever the statistics of a young table say.
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'parley.append_at needs READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    PERFORM FROM parley.log_partitions p WHERE p.partition = ANY (distinct_partitions) ORDER BY p.partition FOR UPDATE;
    -- Dense in each partition and stream, and right behind what is there.
    IF EXISTS (
        SELECT FROM (
            SELECT e.partition, min(e.position) AS first, max(e.position) - min(e.position) + 1 <> count(*) AS has_hole
            FROM unnest(partitions, positions) AS e (partition, position)
            GROUP BY e.partition
        ) p
        WHERE p.has_hole OR p.first > 1 AND NOT EXISTS (
            SELECT FROM parley.events x WHERE x.partition = p.partition AND x.position = p.first - 1)
    ) OR EXISTS (
        SELECT FROM (
            SELECT e.partition, e.stream_id, e.category, min(e.version) AS first,
                max(e.version) - min(e.version) + 1 <> count(*) AS has_hole
            FROM unnest(partitions, stream_ids, categories, versions) AS e (partition, stream_id, category, version)
            GROUP BY e.partition, e.stream_id, e.category
        ) s
        WHERE s.has_hole OR s.first > 1 AND NOT EXISTS (
            SELECT FROM parley.events x
            WHERE x.partition = s.partition AND x.stream_id = s.stream_id AND x.category = s.category
                AND x.version = s.first - 1)
    ) THEN
        RAISE EXCEPTION 'an event does not follow the head of its partition or stream' USING ERRCODE = 'PY001';
    END IF;
    INSERT INTO parley.events (
        position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, subject, correlation_id,
        causation_id, key_id, schema_version, category, type, payload, sealed, content_hmac)
    SELECT
        e.position, e.version, e.recorded_at, e.partition, e.ordinal, e.stream_id, e.command_id, e.actor, e.subject,
        e.correlation_id, e.causation_id, e.key_id, e.schema_version, e.category, e.type, e.payload, e.sealed,
        e.content_hmac
    FROM unnest(
        partitions, positions, stream_ids, categories, versions, types, schema_versions, command_ids, ordinals, subjects,
        actors, correlation_ids, causation_ids, recorded_ats, payloads, sealed_contents, key_ids, content_hmacs
    ) AS e (
        partition, position, stream_id, category, version, type, schema_version, command_id, ordinal, subject,
        actor, correlation_id, causation_id, recorded_at, payload, sealed, key_id, content_hmac);
END
$$;

CREATE OR REPLACE FUNCTION parley.append_at(
    distinct_partitions int[], partitions int[], positions bigint[], stream_ids uuid[], categories text[],
    versions bigint[], types text[], schema_versions smallint[], command_ids uuid[], ordinals int[], subjects uuid[],
    actors uuid[], correlation_ids uuid[], recorded_ats timestamptz[], payloads json[], sealed_contents bytea[],
    key_ids uuid[], content_hmacs bytea[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog AS $$
BEGIN
    PERFORM parley.append_at(
        distinct_partitions, partitions, positions, stream_ids, categories, versions, types, schema_versions, command_ids,
        ordinals, subjects, actors, correlation_ids, array_fill(NULL::uuid, ARRAY[cardinality(partitions)]),
        recorded_ats, payloads, sealed_contents, key_ids, content_hmacs);
END
$$;

-- States of two versions of the program stand side by side: neither overwrites what the other needs.
ALTER TABLE parley.state_snapshots DROP CONSTRAINT state_snapshots_pkey;
ALTER TABLE parley.state_snapshots ADD CONSTRAINT state_snapshots_pkey PRIMARY KEY (entity_id, decider, shape);

REVOKE ALL ON FUNCTION parley.lock_partitions(int[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.lock_partitions(int[]) TO parley_server;
REVOKE ALL ON FUNCTION parley.append_at(
    int[], int[], bigint[], uuid[], text[], bigint[], text[], smallint[], uuid[], int[], uuid[], uuid[], uuid[], uuid[],
    timestamptz[], json[], bytea[], uuid[], bytea[]
) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.append_at(
    int[], int[], bigint[], uuid[], text[], bigint[], text[], smallint[], uuid[], int[], uuid[], uuid[], uuid[], uuid[],
    timestamptz[], json[], bytea[], uuid[], bytea[]
) TO parley_server;

RESET ROLE;
