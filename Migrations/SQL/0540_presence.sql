-- Who was last seen when, and whom sessions are told of. Owner: parley_owner.
--
-- Neither events nor made of any: whether somebody is there is known in memory alone, and what of it is kept is nobody's
-- history.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.last_seen (
    -- To a few minutes, where a process has ended without a word.
    seen_at timestamptz NOT NULL,
    person_id uuid NOT NULL,
    CONSTRAINT last_seen_pkey PRIMARY KEY (person_id)
) WITH (
    -- Written over and over.
    fillfactor = 70
);

-- Beside those of whom a session is told without asking.
CREATE TABLE parley.presence_subscriptions (
    session_id uuid NOT NULL REFERENCES parley.sessions ON DELETE CASCADE,
    person_ids uuid[] NOT NULL,
    CONSTRAINT presence_subscriptions_pkey PRIMARY KEY (session_id),
    CONSTRAINT presence_subscriptions_limit CHECK (cardinality(person_ids) <= 200)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.last_seen, parley.presence_subscriptions TO parley_server;

RESET ROLE;
