-- What people have starred, for themselves. Owner: parley_owner.
--
-- Neither events nor made of any: nothing in a conversation follows from a star, and its history is nobody's business.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.stars (
    starred_at timestamptz NOT NULL DEFAULT now(),
    seq bigint NOT NULL,
    person_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    CONSTRAINT stars_pkey PRIMARY KEY (person_id, conversation_id, message_id)
);

-- The list, the newest first.
CREATE INDEX stars_list_idx ON parley.stars (person_id, starred_at DESC, message_id);

GRANT SELECT, INSERT, DELETE ON parley.stars TO parley_server;

RESET ROLE;
