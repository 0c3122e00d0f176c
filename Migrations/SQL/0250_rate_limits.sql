-- Rate limits that hold for all servers and beyond their restarts: what guards passwords and mailboxes.
-- Owner: parley_owner.

SET LOCAL ROLE parley_owner;

CREATE TABLE parley.rate_buckets (
    -- An HMAC of policy and subject: neither addresses nor emails can be read here.
    bucket bytea NOT NULL,
    -- When all tokens will be back, by the database's clock; a row whose time has passed says nothing and is swept.
    full_at timestamptz NOT NULL,
    CONSTRAINT rate_buckets_pkey PRIMARY KEY (bucket),
    CONSTRAINT rate_buckets_bucket_length CHECK (octet_length(bucket) = 32)
-- No index on full_at: updates stay in their page, and the sweep stops at the first thousand rows that it finds.
) WITH (fillfactor = 70);

GRANT SELECT, INSERT, DELETE ON parley.rate_buckets TO parley_server;
GRANT UPDATE (full_at) ON parley.rate_buckets TO parley_server;

RESET ROLE;
