-- Erasing and closing accounts. Owner: parley_owner.

SET LOCAL ROLE parley_owner;

-- The people who are erased or about to be, kept for ever: nobody in it exists for any command, gets a key again or has
-- content that is remembered. It is also what is left to be done, so that whoever starts next finishes an erasure that was
-- cut short. A bare id: nothing in it is personal.
CREATE TABLE parley.erasures (
    person_id uuid NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT now(),
    -- The log, the read models and the keys know nothing personal any more.
    erased_at timestamptz,
    -- Done: a second look, when all processes had long heard of it, found nothing that came in between.
    settled_at timestamptz,
    -- When it is next worked on; moved ahead by whoever works on it, so that others leave it alone meanwhile.
    due_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT erasures_pkey PRIMARY KEY (person_id)
);

-- What is left to be done.
CREATE INDEX erasures_due_idx ON parley.erasures (due_at) WHERE settled_at IS NULL;

GRANT SELECT, INSERT ON parley.erasures TO parley_server;
GRANT UPDATE (erased_at, settled_at, due_at) ON parley.erasures TO parley_server;

-- A deactivated account signs nobody in, until it is reactivated.
ALTER TABLE parley.accounts ADD COLUMN deactivated_at timestamptz;
GRANT UPDATE (deactivated_at) ON parley.accounts TO parley_server;
-- An erased person's account, and the email with it.
GRANT DELETE ON parley.accounts TO parley_server;

-- The sessions of an erased person outlast the account, revoked: the servers learn from them which tokens to refuse.
ALTER TABLE parley.sessions DROP CONSTRAINT sessions_account_fkey;
GRANT UPDATE (device_name) ON parley.sessions TO parley_server;

RESET ROLE;
