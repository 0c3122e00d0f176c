-- Mails to whoever runs the server. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

ALTER TABLE parley.mail_outbox DROP CONSTRAINT mail_outbox_kind;
ALTER TABLE parley.mail_outbox ADD CONSTRAINT mail_outbox_kind
    CHECK (kind IN ('verifyEmail', 'resetPassword', 'passwordChanged', 'accountLinked', 'webhookDisabled'));

RESET ROLE;
