-- Files that people have uploaded, and what they belong to. Owner: parley_owner.
--
-- Beside the log: bytes are no events. The message that carries a file says in its event what is told of it.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.attachments (
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The newest sign of use: what belongs to nothing goes a day after it.
    touched_at timestamptz NOT NULL DEFAULT now(),
    -- All bytes are there and were looked at.
    completed_at timestamptz,
    -- Nobody gets it any more, and its bytes are about to go.
    removed_at timestamptz,
    -- How much of it has come and is on the disk; in whole chunks while it is not complete.
    received bigint NOT NULL DEFAULT 0,
    -- How much was announced; what came, once it is complete.
    length bigint,
    -- What is kept, in bytes before sealing: the file or picture, and the small picture of it.
    full_bytes bigint NOT NULL DEFAULT 0,
    thumbnail_bytes bigint NOT NULL DEFAULT 0,
    attachment_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    -- The owner's key, under which the file's own key and all that is told of it are sealed.
    key_id uuid NOT NULL,
    -- The request that brings it at the moment: one that was overtaken changes nothing any more.
    upload uuid,
    -- Under what its bytes are kept, once they are all there: whoever was overtaken writes over nothing.
    blob_id uuid,
    kind text NOT NULL,
    -- Where its bytes are: disk or s3.
    store text NOT NULL,
    sealed bytea NOT NULL,
    -- Whether the same bytes come again, by an HMAC under the owner's key.
    content_hmac bytea,
    -- The pieces that came so far: who brought each and where it begins.
    part_ids uuid[] NOT NULL DEFAULT '{}',
    part_starts bigint[] NOT NULL DEFAULT '{}',
    CONSTRAINT attachments_pkey PRIMARY KEY (attachment_id),
    CONSTRAINT attachments_parts_match CHECK (cardinality(part_ids) = cardinality(part_starts))
);

-- What one person has, and how much.
CREATE INDEX attachments_owner_idx ON parley.attachments (owner_id);
-- What is about to go.
CREATE INDEX attachments_removed_idx ON parley.attachments (removed_at) WHERE removed_at IS NOT NULL;
-- What may belong to nothing.
CREATE INDEX attachments_touched_idx ON parley.attachments (touched_at) WHERE removed_at IS NULL;

-- The messages that have a file, or are about to: whoever sends one enters it first, so that it cannot be collected meanwhile.
CREATE TABLE parley.attachment_uses (
    used_at timestamptz NOT NULL DEFAULT now(),
    attachment_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    sender_id uuid NOT NULL,
    CONSTRAINT attachment_uses_pkey PRIMARY KEY (attachment_id, conversation_id, message_id),
    CONSTRAINT attachment_uses_attachment_fkey FOREIGN KEY (attachment_id)
        REFERENCES parley.attachments ON DELETE CASCADE
);

-- What a deleted message had.
CREATE INDEX attachment_uses_message_idx ON parley.attachment_uses (message_id, conversation_id);
-- What an erased person has passed on.
CREATE INDEX attachment_uses_sender_idx ON parley.attachment_uses (sender_id);

-- The photo of a person, or the icon of a group, or what is about to be.
CREATE TABLE parley.pictures (
    used_at timestamptz NOT NULL DEFAULT now(),
    attachment_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    is_group boolean NOT NULL,
    CONSTRAINT pictures_pkey PRIMARY KEY (attachment_id, subject_id),
    CONSTRAINT pictures_attachment_fkey FOREIGN KEY (attachment_id) REFERENCES parley.attachments ON DELETE CASCADE
);

CREATE INDEX pictures_subject_idx ON parley.pictures (subject_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.attachments, parley.attachment_uses, parley.pictures TO parley_server;

RESET ROLE;
