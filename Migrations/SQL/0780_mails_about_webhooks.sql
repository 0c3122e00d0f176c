-- Which webhook a mail to whoever runs the server is about. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- NULL for a mail that is about its account alone, and where an older program wrote it. No key: the webhook may be removed before
-- its mail is sent.
ALTER TABLE parley.mail_outbox ADD COLUMN about uuid;

RESET ROLE;
