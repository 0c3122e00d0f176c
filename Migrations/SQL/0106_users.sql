-- schema: read model
-- People as others see them, and the directory. Owner: parley_owner; filled by the projection `users`.
SET LOCAL ROLE parley_owner;

CREATE TABLE users (
    -- The newest event of the person's stream.
    changed_position bigint NOT NULL,
    created_at timestamptz NOT NULL,
    partition int NOT NULL,
    user_id uuid NOT NULL,
    read_receipts boolean NOT NULL,
    -- Null until a name is given, and once the person is erased.
    display_name text,
    photo_url text,
    time_zone text,
    locale text,
    -- The name in small letters without accents: the directory's order, the same whatever the database's collation.
    sort_name text COLLATE "C",
    -- The words of sort_name.
    words tsvector NOT NULL,
    CONSTRAINT users_pkey PRIMARY KEY (user_id)
);

-- The directory in order, page by page.
CREATE INDEX users_directory_idx ON users (sort_name, user_id) WHERE sort_name IS NOT NULL;
-- The directory by the beginnings of words. Without fastupdate: a search must not pay for what others wrote.
CREATE INDEX users_words_idx ON users USING gin (words) WITH (fastupdate = off);
-- Who changed since a cursor.
CREATE INDEX users_changed_idx ON users (partition, changed_position);

GRANT SELECT, INSERT, UPDATE, DELETE ON users TO parley_server;

RESET ROLE;
