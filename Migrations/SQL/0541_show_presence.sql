-- schema: read model
-- Who does not show others to be there. Owner: parley_owner; filled by the projection `users`.
SET LOCAL ROLE parley_owner;

ALTER TABLE users ADD COLUMN show_presence boolean NOT NULL DEFAULT true;

RESET ROLE;
