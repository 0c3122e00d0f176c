-- schema: read model
-- What a group was when somebody left it: found among what its history tells of changes. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- First, as in every projector and every reader of several statements: so nobody who holds one of these tables waits for
-- another.
LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE;

-- Read backwards from the end of a membership. Those who come and go, most of what large groups tell, are left out.
CREATE INDEX system_messages_changes_idx ON system_messages (conversation_id, position)
    WHERE kind IN ('groupCreated', 'groupUpdated', 'retentionChanged', 'participantRoleChanged');

RESET ROLE;
