-- schema: read model
-- Reading without telling others. Owner: parley_owner; filled by the projection `receipts`.
SET LOCAL ROLE parley_owner;

-- How far others are shown that the member has read, which the ranges of kind 2 add up to; read_seq is the member's own.
ALTER TABLE watermarks ADD COLUMN public_read_seq bigint;
UPDATE watermarks SET public_read_seq = read_seq;
ALTER TABLE watermarks ALTER COLUMN public_read_seq SET NOT NULL;

RESET ROLE;
