-- Where the read models live. Owner: parley_owner; the server's role fills and reads them.
--
-- read_live holds the tables that queries read. A rebuild fills the same tables in read_next, beside them, and then
-- renames the schemas in one transaction. Migrations of read models therefore name no schema: they begin with the line
-- "-- schema: read model" and run with either schema as the search path.
SET LOCAL ROLE parley_owner;

CREATE SCHEMA read_live;
GRANT USAGE ON SCHEMA read_live TO parley_server;

RESET ROLE;
