-- Which password an account has, counted: what was granted for an older one can be told, and refused.
-- Owner: parley_owner.

SET LOCAL ROLE parley_owner;

-- One more with each password that is set. A login that checked an older one starts no session, so that none outlives
-- the change that was to end it. The same password hashed anew counts as the same.
ALTER TABLE parley.accounts ADD COLUMN password_version integer NOT NULL DEFAULT 0;

GRANT UPDATE (password_version) ON parley.accounts TO parley_server;

RESET ROLE;
