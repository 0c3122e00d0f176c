-- schema: read model
-- The directory with typos. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- Names that are spelled much like a word. Without fastupdate: a search must not pay for what others wrote.
CREATE INDEX users_spelling_idx ON users USING gin (sort_name public.gin_trgm_ops) WITH (fastupdate = off)
    WHERE sort_name IS NOT NULL;

RESET ROLE;
