-- What deleted messages said leaves the log. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- How far those have come who act on what the log tells: outside of the read models, so that no rebuild repeats it.
CREATE TABLE parley.consumers (
    position bigint NOT NULL,
    partition int NOT NULL,
    name text NOT NULL,
    CONSTRAINT consumers_pkey PRIMARY KEY (name, partition)
);

GRANT SELECT ON parley.consumers TO parley_server;

-- The one change that the log lets through, whoever asks: the content of a message, its first text or a later one, that a
-- later event of the same stream deletes. Empty stands for gone; where there was none, none stays.
CREATE FUNCTION parley.refuse_all_but_shredding() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    kept parley.events := NEW;
BEGIN
    kept.sealed := OLD.sealed;
    kept.content_hmac := OLD.content_hmac;
    IF NEW.sealed IS NOT DISTINCT FROM (CASE WHEN OLD.sealed IS NOT NULL THEN ''::bytea END)
        AND NEW.content_hmac IS NOT DISTINCT FROM (CASE WHEN OLD.content_hmac IS NOT NULL THEN ''::bytea END)
        -- As text: there is no equality of JSON.
        AND kept::text = OLD::text
        AND EXISTS (
            SELECT FROM parley.events d
            WHERE d.partition = OLD.partition AND d.stream_id = OLD.stream_id AND d.category = OLD.category
                AND d.subject = CASE OLD.type
                    WHEN 'messageSent' THEN OLD.command_id
                    WHEN 'messageForwarded' THEN OLD.command_id
                    WHEN 'messageEdited' THEN OLD.subject
                END
                AND d.version > OLD.version AND d.type = 'messageDeleted'
        )
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

DROP TRIGGER events_append_only ON parley.events;
CREATE TRIGGER events_append_only BEFORE DELETE ON parley.events
    FOR EACH ROW EXECUTE FUNCTION parley.refuse_change();
CREATE TRIGGER events_only_shredded BEFORE UPDATE ON parley.events
    FOR EACH ROW EXECUTE FUNCTION parley.refuse_all_but_shredding();

-- Takes what the next deletions of a partition delete out of the log, and remembers how far it came: at most so many events
-- further. Answers how far that is, and how many events lost their content; nothing where another process is at it.
CREATE FUNCTION parley.shred(wanted int, step int) RETURNS TABLE (reached bigint, shredded bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    start bigint;
BEGIN
    INSERT INTO parley.consumers (name, partition, position)
    SELECT 'shredder', p.partition, 0 FROM parley.log_partitions p WHERE p.partition = wanted
    ON CONFLICT DO NOTHING;
    SELECT c.position INTO start FROM parley.consumers c WHERE c.name = 'shredder' AND c.partition = wanted
    FOR UPDATE SKIP LOCKED;
    IF NOT found THEN
        RETURN;
    END IF;
    SELECT least(start + greatest(step, 1), coalesce(max(e.position), 0)) INTO reached
    FROM parley.events e WHERE e.partition = wanted;
    UPDATE parley.events e
    SET sealed = '', content_hmac = CASE WHEN e.content_hmac IS NOT NULL THEN ''::bytea END
    FROM (
        SELECT DISTINCT x.stream_id, x.category, x.subject FROM parley.events x
        WHERE x.partition = wanted AND x.position > start AND x.position <= reached AND x.type = 'messageDeleted'
    ) d
    WHERE e.partition = wanted AND e.stream_id = d.stream_id AND e.category = d.category AND e.sealed <> ''
        AND (e.command_id = d.subject AND e.type IN ('messageSent', 'messageForwarded')
            OR e.subject = d.subject AND e.type = 'messageEdited');
    GET DIAGNOSTICS shredded = ROW_COUNT;
    UPDATE parley.consumers c SET position = greatest(start, reached)
    WHERE c.name = 'shredder' AND c.partition = wanted AND reached > start;
    RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION parley.shred(int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.shred(int, int) TO parley_server;

RESET ROLE;
