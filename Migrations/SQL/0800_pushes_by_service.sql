-- What waits for a push service is found by the service, so that what waits for one that is left alone is not read again and again.
-- Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- The services of a platform, and of each what is due: in the place of (platform, due_at), which leads past all that waits.
CREATE INDEX push_notifications_service_idx ON parley.push_notifications (platform, origin, due_at)
    WHERE due_at IS NOT NULL;
DROP INDEX parley.push_notifications_due_idx;

RESET ROLE;
