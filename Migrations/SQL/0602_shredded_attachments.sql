-- Messages with files are shredded when they are deleted. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- As in 0482, for messages with files.
CREATE OR REPLACE FUNCTION parley.refuse_all_but_shredding() RETURNS trigger
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
                    WHEN 'limitedMessageSent' THEN OLD.command_id
                    WHEN 'attachmentsSent' THEN OLD.command_id
                    WHEN 'messageEdited' THEN OLD.subject
                END
                AND d.version > OLD.version AND d.type IN ('messageDeleted', 'messageExpired')
        )
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE OR REPLACE FUNCTION parley.shred(wanted int, step int) RETURNS TABLE (reached bigint, shredded bigint)
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
        WHERE x.partition = wanted AND x.position > start AND x.position <= reached
            AND x.type IN ('messageDeleted', 'messageExpired')
    ) d
    WHERE e.partition = wanted AND e.stream_id = d.stream_id AND e.category = d.category AND e.sealed <> ''
        AND (e.command_id = d.subject AND e.type IN (
                'messageSent', 'messageForwarded', 'limitedMessageSent', 'attachmentsSent')
            OR e.subject = d.subject AND e.type = 'messageEdited');
    GET DIAGNOSTICS shredded = ROW_COUNT;
    UPDATE parley.consumers c SET position = greatest(start, reached)
    WHERE c.name = 'shredder' AND c.partition = wanted AND reached > start;
    RETURN NEXT;
END
$$;

RESET ROLE;
