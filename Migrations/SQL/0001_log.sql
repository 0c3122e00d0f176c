-- The log: what happened, once and for all. Owner: parley_owner; the server's role reads it and calls parley.append.
--
-- Two roles without login: parley_owner owns the log and the read models, parley_server is what the server runs as.
-- Roles belong to the cluster, so another database may have made them already.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['parley_owner', 'parley_server'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
        IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
            EXECUTE format('GRANT %I TO %I', wanted, current_user);
        END IF;
    END LOOP;
    EXECUTE format('GRANT CREATE ON DATABASE %I TO parley_owner', current_database());
END
$$;

ALTER SCHEMA parley OWNER TO parley_owner;
GRANT USAGE ON SCHEMA parley TO parley_server;

SET LOCAL ROLE parley_owner;

-- One row for the whole log. The epoch tells cursors of this log from those of any other, such as an older backup's.
CREATE TABLE parley.log (
    single boolean NOT NULL DEFAULT true,
    epoch_id uuid NOT NULL DEFAULT gen_random_uuid(),
    partitions int NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT log_single PRIMARY KEY (single),
    CONSTRAINT log_has_one_row CHECK (single),
    CONSTRAINT log_partitions_range CHECK (partitions BETWEEN 1 AND 256)
);

-- One row per partition, locked by every append and never updated: a row that is updated with each append decays while
-- any snapshot is held, since the old versions cannot be vacuumed.
CREATE TABLE parley.log_partitions (
    partition int NOT NULL,
    CONSTRAINT log_partitions_pkey PRIMARY KEY (partition)
);

-- Columns of fixed width first: less padding in each of very many rows.
CREATE TABLE parley.events (
    position bigint NOT NULL,
    version bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    partition int NOT NULL,
    ordinal int NOT NULL,
    stream_id uuid NOT NULL,
    command_id uuid NOT NULL,
    actor uuid,
    subject uuid,
    correlation_id uuid,
    causation_id uuid,
    key_id uuid,
    schema_version smallint NOT NULL,
    category text NOT NULL,
    type text NOT NULL,
    payload json NOT NULL,
    sealed bytea,
    content_hmac bytea,
    -- The order of a partition; also how projectors and the feed read it. In each key the partition comes last: a child
    -- holds one partition only, and a key that began with it would tempt the planner to use it for a stream's rows.
    CONSTRAINT events_position_key PRIMARY KEY (position, partition),
    -- The order of a stream; also how streams are loaded, and the last line of defence of the expected version.
    CONSTRAINT events_version_key UNIQUE (stream_id, category, version, partition),
    CONSTRAINT events_position_positive CHECK (position > 0),
    CONSTRAINT events_version_positive CHECK (version > 0)
) PARTITION BY LIST (partition);

-- A command takes effect once: the first event of each command is unique in its stream. A message's command id is its
-- own id, so this is also how a message is found.
CREATE UNIQUE INDEX events_command_key ON parley.events (command_id, stream_id, category, partition) WHERE ordinal = 0;
-- Facts about one message or one person in a stream.
CREATE INDEX events_subject_idx ON parley.events (stream_id, subject) WHERE subject IS NOT NULL;

CREATE FUNCTION parley.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON parley.events
    FOR EACH ROW EXECUTE FUNCTION parley.refuse_change();
CREATE TRIGGER events_never_truncated BEFORE TRUNCATE ON parley.events
    FOR EACH STATEMENT EXECUTE FUNCTION parley.refuse_change();

-- Creates the log's partitions, once; later calls answer with what there is.
CREATE FUNCTION parley.create_log(wanted int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    existing int;
BEGIN
    LOCK TABLE parley.log IN EXCLUSIVE MODE;
    SELECT partitions INTO existing FROM parley.log;
    IF found THEN
        RETURN existing;
    END IF;
    INSERT INTO parley.log (partitions) VALUES (wanted);
    FOR p IN 0 .. wanted - 1 LOOP
        INSERT INTO parley.log_partitions (partition) VALUES (p);
        EXECUTE format('CREATE TABLE parley.events_p%s PARTITION OF parley.events FOR VALUES IN (%s)', p, p);
        EXECUTE format(
            'CREATE TRIGGER events_never_truncated BEFORE TRUNCATE ON parley.events_p%s '
            'FOR EACH STATEMENT EXECUTE FUNCTION parley.refuse_change()',
            p
        );
        EXECUTE format('GRANT SELECT ON parley.events_p%s TO parley_server', p);
    END LOOP;
    RETURN wanted;
END
$$;

-- Appends a batch of events in one transaction of its own. All arrays run in parallel, one entry per event, in order.
--
-- first_of_partition and first_of_stream mark the first event of each partition and of each stream in the batch, where
-- the heads are looked up; expected is the version demanded of the stream, null for none. An entity (all streams of one
-- id) with a version conflict or with a command that the log has already is left out whole; the others are appended.
--
-- Answers one row per event: its place in the arrays, its outcome, and where it was appended.
CREATE FUNCTION parley.append(
    partitions int[], first_of_partition boolean[], stream_ids uuid[], categories text[], first_of_stream boolean[],
    expected bigint[], types text[], schema_versions smallint[], command_ids uuid[], ordinals int[], subjects uuid[],
    actors uuid[], correlation_ids uuid[], causation_ids uuid[], recorded_ats timestamptz[], payloads json[],
    sealed_contents bytea[], key_ids uuid[], content_hmacs bytea[]
) RETURNS TABLE (place int, outcome text, at_position bigint, at_version bigint)
LANGUAGE plpgsql SECURITY DEFINER
-- Index probes are always right here, whatever the statistics of a young table say.
SET search_path = pg_catalog
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'parley.append needs READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    -- Held to the commit, so positions are in commit order; ascending, so that two appends never deadlock.
    PERFORM FROM parley.log_partitions p WHERE p.partition = ANY (partitions) ORDER BY p.partition FOR UPDATE;
    -- A new statement has a new snapshot, which sees all that earlier holders of the locks committed.
    RETURN QUERY
    WITH news AS MATERIALIZED (
        SELECT e.*,
            CASE WHEN e.starts_partition THEN coalesce((
                SELECT x.position FROM parley.events x WHERE x.partition = e.partition
                ORDER BY x.position DESC LIMIT 1), 0)
            END AS partition_head,
            CASE WHEN e.starts_stream THEN coalesce((
                SELECT x.version FROM parley.events x
                WHERE x.partition = e.partition AND x.stream_id = e.stream_id AND x.category = e.category
                ORDER BY x.version DESC LIMIT 1), 0)
            END AS stream_head,
            e.ordinal = 0 AND EXISTS (
                SELECT FROM parley.events x
                WHERE x.partition = e.partition AND x.stream_id = e.stream_id AND x.category = e.category
                    AND x.command_id = e.command_id AND x.ordinal = 0) AS is_duplicate
        FROM unnest(
            partitions, first_of_partition, stream_ids, categories, first_of_stream, expected, types, schema_versions,
            command_ids, ordinals, subjects, actors, correlation_ids, causation_ids, recorded_ats, payloads,
            sealed_contents, key_ids, content_hmacs
        ) WITH ORDINALITY AS e (
            partition, starts_partition, stream_id, category, starts_stream, expected, type, schema_version,
            command_id, ordinal, subject, actor, correlation_id, causation_id, recorded_at, payload,
            sealed, key_id, content_hmac, n)
    ), judged AS MATERIALIZED (
        SELECT news.*,
            max(news.partition_head) OVER (PARTITION BY news.partition) AS last_position,
            max(news.stream_head) OVER (PARTITION BY news.partition, news.stream_id, news.category) AS last_version,
            bool_or(news.is_duplicate) OVER entity AS has_duplicate,
            bool_or(news.starts_stream AND news.expected <> news.stream_head) OVER entity AS has_conflict
        FROM news
        WINDOW entity AS (PARTITION BY news.partition, news.stream_id)
    ), numbered AS MATERIALIZED (
        SELECT j.*,
            j.last_position + row_number() OVER (PARTITION BY j.partition ORDER BY j.n) AS position,
            j.last_version
                + row_number() OVER (PARTITION BY j.partition, j.stream_id, j.category ORDER BY j.n) AS version
        FROM judged j
        WHERE NOT j.has_duplicate AND j.has_conflict IS NOT TRUE
    ), inserted AS (
        INSERT INTO parley.events (
            position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, subject, correlation_id,
            causation_id, key_id, schema_version, category, type, payload, sealed, content_hmac)
        SELECT
            a.position, a.version, a.recorded_at, a.partition, a.ordinal, a.stream_id, a.command_id, a.actor, a.subject,
            a.correlation_id, a.causation_id, a.key_id, a.schema_version, a.category, a.type, a.payload, a.sealed,
            a.content_hmac
        FROM numbered a
    )
    SELECT a.n::int, 'appended', a.position, a.version FROM numbered a
    UNION ALL
    SELECT j.n::int, CASE WHEN j.has_duplicate THEN 'duplicate' ELSE 'conflict' END, NULL, NULL
    FROM judged j
    WHERE j.has_duplicate OR j.has_conflict IS TRUE;
END
$$;

-- The version of the first event of a stream past a position, or one beyond its head: positions rise with versions
-- inside a stream, so the versions are halved, at a cost of log n whatever the stream's length.
CREATE FUNCTION parley.first_version_after(of_partition int, of_stream uuid, of_category text, past bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog SET enable_seqscan = off AS $$
DECLARE
    low bigint := 1;
    high bigint;
    middle bigint;
    found_position bigint;
BEGIN
    SELECT e.version + 1 INTO high FROM parley.events e
    WHERE e.partition = of_partition AND e.stream_id = of_stream AND e.category = of_category
    ORDER BY e.version DESC LIMIT 1;
    IF NOT found THEN
        RETURN 1;
    END IF;
    WHILE low < high LOOP
        middle := (low + high) / 2;
        SELECT e.position INTO found_position FROM parley.events e
        WHERE e.partition = of_partition AND e.stream_id = of_stream AND e.category = of_category
            AND e.version = middle;
        IF found_position > past THEN
            high := middle;
        ELSE
            low := middle + 1;
        END IF;
    END LOOP;
    RETURN low;
END
$$;

-- The keys of people, each wrapped by the master key; destroying a row erases the person's content from the log.
-- Backed up apart from the log, or a backup brings the erased back.
CREATE TABLE parley.person_keys (
    key_id uuid NOT NULL,
    person_id uuid NOT NULL,
    wrapped bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT person_keys_pkey PRIMARY KEY (key_id),
    CONSTRAINT person_keys_person_key UNIQUE (person_id)
);

-- States of entities folded so far, so that a long history is not folded again: a cache, which may be emptied.
CREATE TABLE parley.state_snapshots (
    entity_id uuid NOT NULL,
    decider text NOT NULL,
    shape int NOT NULL,
    -- How far the entity's streams are folded, in the decider's order of them.
    versions bigint[] NOT NULL,
    position bigint NOT NULL,
    state bytea NOT NULL,
    CONSTRAINT state_snapshots_pkey PRIMARY KEY (entity_id, decider)
);

REVOKE ALL ON FUNCTION parley.create_log(int) FROM PUBLIC;
REVOKE ALL ON FUNCTION parley.append(
    int[], boolean[], uuid[], text[], boolean[], bigint[], text[], smallint[], uuid[], int[], uuid[], uuid[], uuid[],
    uuid[], timestamptz[], json[], bytea[], uuid[], bytea[]
) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.append(
    int[], boolean[], uuid[], text[], boolean[], bigint[], text[], smallint[], uuid[], int[], uuid[], uuid[], uuid[],
    uuid[], timestamptz[], json[], bytea[], uuid[], bytea[]
) TO parley_server;
REVOKE ALL ON FUNCTION parley.first_version_after(int, uuid, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.first_version_after(int, uuid, text, bigint) TO parley_server;
GRANT SELECT ON parley.log, parley.log_partitions, parley.events TO parley_server;
-- FOR UPDATE on log_partitions happens inside parley.append only, as its owner.
GRANT SELECT, INSERT, DELETE ON parley.person_keys TO parley_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON parley.state_snapshots TO parley_server;

RESET ROLE;
