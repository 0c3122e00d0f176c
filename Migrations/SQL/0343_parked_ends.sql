-- schema: read model
-- Parking may end. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

-- A projector that still takes a stream for parked writes -1 where its row is gone, and takes up its work anew.
ALTER TABLE parked ADD CONSTRAINT parked_not_ended CHECK (events > 0);

RESET ROLE;
