-- Begins an epoch of the log by hand of a server, where no new timeline tells it. Owner: parley_owner; called by the server's
-- role.
--
-- A promotion begins a timeline, which is part of every cursor. A backup that was put back on its own timeline does not:
-- the log ends before what servers and clients know of it, and the same positions will mean other events. The server that
-- sees this changes the log's id, which is part of every cursor too, so that all servers begin the same new epoch.
SET LOCAL ROLE parley_owner;

-- Of several servers that see it, the first one changes the id: the others name one that is no longer the present.
CREATE FUNCTION parley.begin_epoch(present uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    UPDATE parley.log SET epoch_id = gen_random_uuid() WHERE epoch_id = present;
$$;

REVOKE ALL ON FUNCTION parley.begin_epoch(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION parley.begin_epoch(uuid) TO parley_server;

RESET ROLE;
