-- Those who run the server by its API, and what they did. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.operators (
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    operator_id uuid NOT NULL,
    name text NOT NULL,
    -- read or act.
    scope text NOT NULL,
    -- SHA-256 of the token's secret.
    token_hash bytea NOT NULL,
    CONSTRAINT operators_pkey PRIMARY KEY (operator_id),
    CONSTRAINT operators_name_length CHECK (char_length(name) BETWEEN 1 AND 64),
    CONSTRAINT operators_scope CHECK (scope IN ('read', 'act')),
    CONSTRAINT operators_token_hash_length CHECK (octet_length(token_hash) = 32)
);

-- A name says who did something: two at once must not have the same.
CREATE UNIQUE INDEX operators_name_idx ON parley.operators (name) WHERE revoked_at IS NULL;

-- What operators did: who, what, with what, when. Never a secret, nor what anybody wrote.
CREATE TABLE parley.audit (
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    operator text NOT NULL,
    action text NOT NULL,
    target text,
    CONSTRAINT audit_pkey PRIMARY KEY (number)
);

-- Not even the owner takes anything back.
CREATE FUNCTION parley.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit is only ever added to' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON parley.audit
    FOR EACH STATEMENT EXECUTE FUNCTION parley.refuse_audit_change();

GRANT SELECT, INSERT ON parley.operators, parley.audit TO parley_server;
GRANT UPDATE (revoked_at) ON parley.operators TO parley_server;

RESET ROLE;
