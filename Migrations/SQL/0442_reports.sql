-- What people report to those who run the server. Owner: parley_owner.
--
-- Neither events nor made of any: nothing in a conversation follows from a report, and nobody in it may ever see one. The
-- queue of the operators, the oldest first.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.reports (
    created_at timestamptz NOT NULL DEFAULT now(),
    report_id uuid NOT NULL,
    reporter_id uuid NOT NULL,
    -- Who is reported: also the sender of a message that is.
    person_id uuid,
    conversation_id uuid,
    message_id uuid,
    reason text NOT NULL,
    -- The operators' key, under which the message's text at that moment and the comment are sealed; both null once who was
    -- reported is erased.
    key_id uuid,
    sealed bytea,
    -- Answers whether a repeated request asks for the same.
    content_hmac bytea NOT NULL,
    CONSTRAINT reports_pkey PRIMARY KEY (report_id),
    CONSTRAINT reports_sealed_by_a_key CHECK ((key_id IS NULL) = (sealed IS NULL)),
    CONSTRAINT reports_name_something CHECK (num_nonnulls(person_id, conversation_id) > 0),
    CONSTRAINT reports_message_in_conversation CHECK (message_id IS NULL OR conversation_id IS NOT NULL)
);

-- The queue.
CREATE INDEX reports_queue_idx ON parley.reports (created_at, report_id);
-- What goes with an erased person.
CREATE INDEX reports_reporter_idx ON parley.reports (reporter_id);
CREATE INDEX reports_person_idx ON parley.reports (person_id) WHERE person_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.reports TO parley_server;

RESET ROLE;
