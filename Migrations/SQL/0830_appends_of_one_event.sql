-- The short way into the log, cheaper where it is one event. Owner: parley_owner; called by the server's role.
SET LOCAL ROLE parley_owner;

-- As before, it refuses with PY001 what is not dense in each partition and stream, and right behind what is there; and what is
-- for few partitions is asked by statements that are pruned to them. One event, which is all that a quiet server appends at a
-- time, is compared with what is there by the statement that inserts it: no array is unnested, and two statements begin, not
-- three.
CREATE OR REPLACE FUNCTION parley.append_at(
    distinct_partitions int[], partitions int[], positions bigint[], stream_ids uuid[], categories text[],
    versions bigint[], types text[], schema_versions smallint[], command_ids uuid[], ordinals int[], subjects uuid[],
    actors uuid[], correlation_ids uuid[], causation_ids uuid[], recorded_ats timestamptz[], payloads json[],
    sealed_contents bytea[], key_ids uuid[], content_hmacs bytea[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog
-- Index probes are always right here, whatever the statistics of a young table say.
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    one int := partitions[1];
    first_position bigint := positions[1];
    first_version bigint := versions[1];
    stream uuid := stream_ids[1];
    stream_category text := categories[1];
    -- What names a partition beside those that are locked would not be looked at.
    follows boolean := partitions <@ distinct_partitions;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'parley.append_at needs READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF cardinality(positions) = 1 AND follows THEN
        PERFORM FROM parley.log_partitions p WHERE p.partition = one FOR UPDATE;
        -- A new statement has a new snapshot, which sees all that earlier holders of the lock committed.
        INSERT INTO parley.events (
            position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, subject, correlation_id,
            causation_id, key_id, schema_version, category, type, payload, sealed, content_hmac)
        SELECT
            first_position, first_version, recorded_ats[1], one, ordinals[1], stream, command_ids[1], actors[1],
            subjects[1], correlation_ids[1], causation_ids[1], key_ids[1], schema_versions[1], stream_category, types[1],
            payloads[1], sealed_contents[1], content_hmacs[1]
        WHERE (
            first_position = 1 OR EXISTS (
                SELECT FROM parley.events x WHERE x.partition = one AND x.position = first_position - 1)
        ) AND (
            first_version = 1 OR EXISTS (
                SELECT FROM parley.events x
                WHERE x.partition = one AND x.stream_id = stream AND x.category = stream_category
                    AND x.version = first_version - 1)
        );
        IF NOT found THEN
            RAISE EXCEPTION 'an event does not follow the head of its partition or stream' USING ERRCODE = 'PY001';
        END IF;
        RETURN;
    END IF;
    PERFORM FROM parley.log_partitions p WHERE p.partition = ANY (distinct_partitions) ORDER BY p.partition FOR UPDATE;
    IF cardinality(distinct_partitions) <= 4 THEN
        FOREACH one IN ARRAY distinct_partitions LOOP
            follows := follows AND NOT EXISTS (
                SELECT FROM (
                    SELECT min(e.position) AS first, max(e.position) - min(e.position) + 1 <> count(*) AS has_hole
                    FROM unnest(partitions, positions) AS e (partition, position)
                    WHERE e.partition = one
                ) p
                WHERE p.has_hole OR p.first > 1 AND NOT EXISTS (
                    SELECT FROM parley.events x WHERE x.partition = one AND x.position = p.first - 1)
            ) AND NOT EXISTS (
                SELECT FROM (
                    SELECT e.stream_id, e.category, min(e.version) AS first,
                        max(e.version) - min(e.version) + 1 <> count(*) AS has_hole
                    FROM unnest(partitions, stream_ids, categories, versions)
                        AS e (partition, stream_id, category, version)
                    WHERE e.partition = one
                    GROUP BY e.stream_id, e.category
                ) s
                WHERE s.has_hole OR s.first > 1 AND NOT EXISTS (
                    SELECT FROM parley.events x
                    WHERE x.partition = one AND x.stream_id = s.stream_id AND x.category = s.category
                        AND x.version = s.first - 1)
            );
        END LOOP;
    ELSE
        follows := follows AND NOT EXISTS (
            SELECT FROM (
                SELECT e.partition, min(e.position) AS first,
                    max(e.position) - min(e.position) + 1 <> count(*) AS has_hole
                FROM unnest(partitions, positions) AS e (partition, position)
                GROUP BY e.partition
            ) p
            WHERE p.has_hole OR p.first > 1 AND NOT EXISTS (
                SELECT FROM parley.events x WHERE x.partition = p.partition AND x.position = p.first - 1)
        ) AND NOT EXISTS (
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
        );
    END IF;
    IF NOT follows THEN
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

RESET ROLE;
