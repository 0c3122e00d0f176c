-- How far reactors have come in the log. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- The server moves them itself, in one transaction with what follows from the events; only the shredder has a function.
GRANT INSERT, UPDATE, DELETE ON parley.consumers TO parley_server;

-- The shredder's are its function's alone: nobody else makes it pass what it has not blanked.
ALTER TABLE parley.consumers ENABLE ROW LEVEL SECURITY;
CREATE POLICY consumers_read ON parley.consumers FOR SELECT TO parley_server USING (true);
CREATE POLICY consumers_move ON parley.consumers TO parley_server USING (name <> 'shredder')
    WITH CHECK (name <> 'shredder');

RESET ROLE;
