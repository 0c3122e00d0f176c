-- What people have begun to write, for their own devices. Owner: parley_owner.
--
-- Neither events nor made of any: a draft changes with every pause in typing, and its history is nobody's business.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.drafts (
    -- By the clock of the device, no later than the server's: the later draft wins.
    updated_at timestamptz NOT NULL,
    -- By the server's: what was written before a membership began is not shown in it.
    written_at timestamptz NOT NULL DEFAULT now(),
    person_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    -- The person's key, under which the text is sealed; both null where the draft was cleared, which has its time, too.
    key_id uuid,
    sealed bytea,
    CONSTRAINT drafts_pkey PRIMARY KEY (person_id, conversation_id),
    CONSTRAINT drafts_sealed_by_a_key CHECK ((key_id IS NULL) = (sealed IS NULL))
) WITH (
    -- Written over and over.
    fillfactor = 70
);

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.drafts TO parley_server;

RESET ROLE;
