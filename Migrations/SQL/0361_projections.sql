-- schema: read model
-- With which version of each projection the rows of this schema were made. Owner: parley_owner; written when the schema
-- is made, by whoever makes it: so a rebuild changes it, and nothing else does.
SET LOCAL ROLE parley_owner;

-- Not by partition: a schema is of one version as a whole.
CREATE TABLE projections (
    name text NOT NULL,
    version int NOT NULL,
    CONSTRAINT projections_pkey PRIMARY KEY (name)
);

-- Rows from before this file were made by the first version of all projections, the only one that there was.
INSERT INTO projections (name, version)
SELECT known.name, 1
FROM unnest(ARRAY['messages', 'conversation-list', 'unread-counts', 'receipts', 'users']) AS known (name)
WHERE EXISTS (SELECT FROM checkpoints c WHERE c.position > 0);

GRANT SELECT ON projections TO parley_server;

RESET ROLE;
