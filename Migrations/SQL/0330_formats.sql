-- Which programs live on the log, and which format of it each of them reads. Owner: parley_owner; the server's role reads
-- both and changes them through the functions below alone.
--
-- An event of a new kind is written only when every living process can read it, and from then on no program may start that
-- cannot. Both sides take the lock of the log's one row: who registers and who raises the format never miss each other.
SET LOCAL ROLE parley_owner;

-- The highest format that was opened for writing; 1 is what was written before there were formats.
ALTER TABLE parley.log ADD COLUMN format int NOT NULL DEFAULT 1;
ALTER TABLE parley.log ADD CONSTRAINT log_format_positive CHECK (format > 0);

-- One row per server process, for as long as its heart beats.
CREATE TABLE parley.processes (
    process_id uuid NOT NULL,
    -- Of the program, for people.
    version text NOT NULL,
    -- The highest that the program reads.
    format int NOT NULL,
    started_at timestamptz NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    CONSTRAINT processes_pkey PRIMARY KEY (process_id)
);

-- How long a process counts as living after a heartbeat: some of them may be late.
CREATE FUNCTION parley.process_lifetime() RETURNS interval
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog AS $$ SELECT interval '15 seconds' $$;

-- The log's format, its row locked to the end of the transaction.
CREATE FUNCTION parley.lock_format() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    log_format int;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'formats need READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    SELECT l.format INTO STRICT log_format FROM parley.log l FOR UPDATE;
    RETURN log_format;
END
$$;

-- Registers a process, and keeps it registered with each later call. Answers the log's format: where that is beyond what
-- the program reads, the process is not registered any more, and must end.
CREATE FUNCTION parley.keep_process(process uuid, program text, reads int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    log_format int := parley.lock_format();
BEGIN
    -- By the clock, not by the transaction's beginning: the lock may have been waited for.
    DELETE FROM parley.processes p
    WHERE p.heartbeat_at < clock_timestamp() - parley.process_lifetime() OR (p.process_id = process AND reads < log_format);
    IF reads >= log_format THEN
        INSERT INTO parley.processes (process_id, version, format, started_at, heartbeat_at)
        VALUES (process, program, reads, clock_timestamp(), clock_timestamp())
        ON CONFLICT (process_id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at;
    END IF;
    RETURN log_format;
END
$$;

-- Takes a process out that has ended in order, so that nobody waits for its heart to stop.
CREATE FUNCTION parley.end_process(process uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    DELETE FROM parley.processes p WHERE p.process_id = process
$$;

-- Opens the log for events of a format, if every living process reads it.
CREATE FUNCTION parley.open_format(wanted int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF parley.lock_format() >= wanted THEN
        RETURN true;
    END IF;
    IF EXISTS (
        SELECT FROM parley.processes p
        WHERE p.format < wanted AND p.heartbeat_at >= clock_timestamp() - parley.process_lifetime()
    ) THEN
        RETURN false;
    END IF;
    UPDATE parley.log SET format = wanted;
    RETURN true;
END
$$;

REVOKE ALL ON FUNCTION parley.lock_format() FROM PUBLIC;
REVOKE ALL ON FUNCTION parley.keep_process(uuid, text, int) FROM PUBLIC;
REVOKE ALL ON FUNCTION parley.end_process(uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION parley.open_format(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.keep_process(uuid, text, int) TO parley_server;
GRANT EXECUTE ON FUNCTION parley.end_process(uuid) TO parley_server;
GRANT EXECUTE ON FUNCTION parley.open_format(int) TO parley_server;
GRANT SELECT ON parley.processes TO parley_server;

RESET ROLE;
