-- schema: read model
-- What names are compared by, to find those that are taken for one another. Owner: parley_owner; filled by the projection
-- `users` from its version 2 on: only a rebuild knows what rows from before are compared by.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- Null where there is no name.
ALTER TABLE users ADD COLUMN name_look text COLLATE "C", ADD COLUMN name_letters text COLLATE "C";

-- Those who look alike, the oldest accounts first: ids are in the order of time.
CREATE INDEX users_name_look_idx ON users (name_look, user_id) WHERE name_look IS NOT NULL;
-- Those whose names have the same letters.
CREATE INDEX users_name_letters_idx ON users (name_letters, user_id) WHERE name_letters IS NOT NULL;

RESET ROLE;
