-- What devices have been told of conversations, and are still to be told. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- The outbox of push notifications: one row for a device and a conversation, whatever is said there, since a device shows one
-- notification of it. So it is bounded, and an outage leaves one notification and no flood. Texts are read when they are sent.
CREATE TABLE parley.push_notifications (
    -- When it is next looked at: the end of a claim, while somebody works on it; null where nothing is to be done.
    due_at timestamptz,
    -- When the service last took something.
    sent_at timestamptz,
    -- When the newest message was sent.
    newest_at timestamptz NOT NULL,
    -- The oldest and the newest message that the device has not been told of, and the newest that it shows.
    from_seq bigint NOT NULL,
    seq bigint NOT NULL,
    shown_seq bigint,
    -- How far the person is known to have read.
    read_seq bigint NOT NULL DEFAULT 0,
    -- How many messages the device is to be told of, and how many it shows.
    pending int NOT NULL,
    told int NOT NULL DEFAULT 0,
    attempts int NOT NULL DEFAULT 0,
    conversation_id uuid NOT NULL,
    person_id uuid NOT NULL,
    device_id uuid NOT NULL,
    -- The newest message and who sent it.
    message_id uuid NOT NULL,
    sender_id uuid NOT NULL,
    -- Who works on it: whoever comes back after the claim has ended changes nothing any more.
    claim uuid,
    -- Those of the device.
    platform text NOT NULL,
    origin text NOT NULL,
    -- By conversation first: messages and read marks come by conversation.
    CONSTRAINT push_notifications_pkey PRIMARY KEY (conversation_id, person_id, device_id),
    CONSTRAINT push_notifications_device_fkey FOREIGN KEY (person_id, device_id) REFERENCES parley.devices
        ON DELETE CASCADE,
    CONSTRAINT push_notifications_counts CHECK (pending >= 0 AND told >= 0)
) WITH (
    -- Written several times for each message.
    fillfactor = 70
);

CREATE INDEX push_notifications_due_idx ON parley.push_notifications (platform, due_at) WHERE due_at IS NOT NULL;
-- A device goes, and what it was to be told; also for the foreign key.
CREATE INDEX push_notifications_device_idx ON parley.push_notifications (person_id, device_id);

-- What became of each try that ended something: the timeline of a message's notifications, and the dead letters. Kept for 7
-- days; says nothing of what anybody wrote.
CREATE TABLE parley.push_outcomes (
    at timestamptz NOT NULL DEFAULT now(),
    from_seq bigint NOT NULL,
    seq bigint NOT NULL,
    -- From the message's acceptance on.
    milliseconds bigint NOT NULL,
    attempts int NOT NULL,
    conversation_id uuid NOT NULL,
    person_id uuid NOT NULL,
    device_id uuid NOT NULL,
    platform text NOT NULL,
    -- alert, digest, badge or clear.
    kind text NOT NULL,
    -- accepted, dropped or dead.
    outcome text NOT NULL,
    reason text
);

CREATE INDEX push_outcomes_message_idx ON parley.push_outcomes (conversation_id, seq);
CREATE INDEX push_outcomes_at_idx ON parley.push_outcomes (at);

-- The services that processes leave alone for now, for people who look at the whole.
CREATE TABLE parley.push_pauses (
    until timestamptz NOT NULL,
    origin text NOT NULL,
    reason text NOT NULL,
    CONSTRAINT push_pauses_pkey PRIMARY KEY (origin)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.push_notifications, parley.push_outcomes, parley.push_pauses
    TO parley_server;

RESET ROLE;
