-- Files of reported messages. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- Their bytes stay while the report waits, whatever becomes of the message: for operators alone, as the file is gone for all
-- others. No key to the files: one that went before its report came in is missing, and keeps nobody from reporting.
CREATE TABLE parley.held_attachments (
    report_id uuid NOT NULL,
    attachment_id uuid NOT NULL,
    CONSTRAINT held_attachments_pkey PRIMARY KEY (report_id, attachment_id),
    CONSTRAINT held_attachments_report_fkey FOREIGN KEY (report_id) REFERENCES parley.reports ON DELETE CASCADE
);

-- Whether a file that is about to go is held.
CREATE INDEX held_attachments_attachment_idx ON parley.held_attachments (attachment_id);

GRANT SELECT, INSERT, DELETE ON parley.held_attachments TO parley_server;

RESET ROLE;
