-- What was applied belongs to the owner of all the rest, so that any account that may migrate goes on from it, also after
-- a move to another PostgreSQL; and an account that only serves sees that nothing is missing. Owner: parley_owner.
ALTER TABLE parley.migrations OWNER TO parley_owner;
GRANT SELECT ON parley.migrations TO parley_server;
