-- Signing in by the word of an issuer (OpenID Connect). Owner: parley_owner.

SET LOCAL ROLE parley_owner;

-- Whose account a subject of an issuer opens. Never found by an email: addresses change hands, subjects do not.
CREATE TABLE parley.account_links (
    -- As the issuer's tokens spell it.
    issuer text NOT NULL,
    subject text NOT NULL,
    account_id uuid NOT NULL,
    linked_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT account_links_pkey PRIMARY KEY (issuer, subject),
    -- An account has one subject with an issuer: another one that comes with the same address is another person, who was
    -- given the address since. Also deletes an account's links.
    CONSTRAINT account_links_account_key UNIQUE (account_id, issuer),
    CONSTRAINT account_links_account_fkey FOREIGN KEY (account_id) REFERENCES parley.accounts (account_id)
        ON DELETE CASCADE,
    CONSTRAINT account_links_lengths CHECK (
        octet_length(issuer) BETWEEN 1 AND 1000 AND octet_length(subject) BETWEEN 1 AND 255)
);

-- The attempts of browsers to sign in that were brought to an end, known by the SHA-256 of what they are recognised by,
-- until their time is over: each counts once, on all servers together.
CREATE TABLE parley.ended_attempts (
    attempt_hash bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT ended_attempts_pkey PRIMARY KEY (attempt_hash),
    CONSTRAINT ended_attempts_hash_length CHECK (octet_length(attempt_hash) = 32)
);

-- Deleting what is over.
CREATE INDEX ended_attempts_expiry_idx ON parley.ended_attempts (expires_at);

-- The owner of an account is told that an issuer opens it, too.
ALTER TABLE parley.mail_outbox DROP CONSTRAINT mail_outbox_kind,
    ADD CONSTRAINT mail_outbox_kind CHECK (kind IN ('verifyEmail', 'resetPassword', 'passwordChanged', 'accountLinked'));

GRANT SELECT, INSERT ON parley.account_links TO parley_server;
GRANT SELECT, INSERT, DELETE ON parley.ended_attempts TO parley_server;

RESET ROLE;
