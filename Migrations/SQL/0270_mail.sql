-- Mails that wait to be sent, and what the tokens in them allow. Owner: parley_owner.

SET LOCAL ROLE parley_owner;

-- When the owner of the account proved to read the mails of its address; NULL until then.
ALTER TABLE parley.accounts ADD COLUMN email_verified_at timestamptz;

-- Mails that wait, in the order of their next try, and those that were given up. Neither texts nor tokens are here: both
-- are made when a mail is sent, the token from the row's id under a key that is derived from the master key. A row is
-- deleted once its mail is sent.
CREATE TABLE parley.mail_outbox (
    mail_id uuid NOT NULL,
    -- Whose mail it is; NULL where that is found out when it is sent, so that asking for a new password is the same work
    -- for every address.
    account_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The next try. While a server sends the mail, it is the time by which it must be done with it: then another one may.
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    -- From then on it is of no use to anyone.
    give_up_at timestamptz NOT NULL,
    dead_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    kind text NOT NULL,
    -- Where account_id is NULL: the address that was asked for, AES-256-GCM under a key derived from the master key,
    -- padded to one length. Gone when the mail is.
    sealed_recipient bytea,
    -- For the operator; never an address.
    last_failure text,
    CONSTRAINT mail_outbox_pkey PRIMARY KEY (mail_id),
    CONSTRAINT mail_outbox_account_fkey FOREIGN KEY (account_id) REFERENCES parley.accounts (account_id)
        ON DELETE CASCADE,
    CONSTRAINT mail_outbox_kind CHECK (kind IN ('verifyEmail', 'resetPassword', 'passwordChanged')),
    CONSTRAINT mail_outbox_recipient CHECK (account_id IS NOT NULL OR sealed_recipient IS NOT NULL OR dead_at IS NOT NULL)
);

-- What is due, which every server asks once a second; it also bounds how many may wait.
CREATE INDEX mail_outbox_due_idx ON parley.mail_outbox (next_attempt_at) WHERE dead_at IS NULL;
-- One mail to confirm an address waits at a time, however often it is asked for.
CREATE UNIQUE INDEX mail_outbox_one_verification ON parley.mail_outbox (account_id)
    WHERE dead_at IS NULL AND kind = 'verifyEmail';
-- Deleting an account.
CREATE INDEX mail_outbox_account_idx ON parley.mail_outbox (account_id);
CREATE INDEX mail_outbox_dead_idx ON parley.mail_outbox (dead_at) WHERE dead_at IS NOT NULL;

-- The tokens that were sent, known by their SHA-256. They stay when they are used, until they would have expired: a mail
-- that is sent twice must not bring a used one back.
CREATE TABLE parley.mail_tokens (
    token_hash bytea NOT NULL,
    account_id uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    -- The account's when it was made: it dies with the next password.
    password_version integer NOT NULL,
    purpose text NOT NULL,
    CONSTRAINT mail_tokens_pkey PRIMARY KEY (token_hash),
    CONSTRAINT mail_tokens_account_fkey FOREIGN KEY (account_id) REFERENCES parley.accounts (account_id)
        ON DELETE CASCADE,
    CONSTRAINT mail_tokens_hash_length CHECK (octet_length(token_hash) = 32),
    CONSTRAINT mail_tokens_purpose CHECK (purpose IN ('verifyEmail', 'resetPassword'))
);

-- Deleting an account.
CREATE INDEX mail_tokens_account_idx ON parley.mail_tokens (account_id);
-- Deleting what is over.
CREATE INDEX mail_tokens_expiry_idx ON parley.mail_tokens (expires_at);

GRANT UPDATE (email_verified_at) ON parley.accounts TO parley_server;
GRANT SELECT, INSERT, DELETE ON parley.mail_outbox TO parley_server;
GRANT UPDATE (next_attempt_at, dead_at, attempts, sealed_recipient, last_failure) ON parley.mail_outbox TO parley_server;
GRANT SELECT, INSERT, DELETE ON parley.mail_tokens TO parley_server;
GRANT UPDATE (expires_at, used_at) ON parley.mail_tokens TO parley_server;

RESET ROLE;
