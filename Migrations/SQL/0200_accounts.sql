-- Accounts: what signs a person in. Owner: parley_owner. A plain table and no events: credentials must be deletable
-- for good, and a log is no place for them. The profile is in the log, under the same id.

SET LOCAL ROLE parley_owner;

CREATE TABLE parley.accounts (
    account_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    -- False from the account's commit until the log has userRegistered; a login repeats what a crash left out.
    profile_registered boolean NOT NULL DEFAULT false,
    -- Trimmed, NFC, lower case.
    email text NOT NULL,
    -- A PHC string with its own parameters; NULL for an account that signs in without a password, which no password opens.
    password_hash text,
    -- The name given at registration, kept until the log has it.
    pending_display_name text,
    CONSTRAINT accounts_pkey PRIMARY KEY (account_id),
    -- One account per email; also how a login finds it.
    CONSTRAINT accounts_email_key UNIQUE (email),
    CONSTRAINT accounts_email_normal CHECK (email = btrim(email) AND octet_length(email) BETWEEN 3 AND 254),
    CONSTRAINT accounts_name_not_kept CHECK (NOT profile_registered OR pending_display_name IS NULL)
);

GRANT SELECT, INSERT ON parley.accounts TO parley_server;
GRANT UPDATE (profile_registered, pending_display_name, password_hash) ON parley.accounts TO parley_server;

RESET ROLE;
