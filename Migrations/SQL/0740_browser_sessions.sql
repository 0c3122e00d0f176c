-- Sessions that a browser's cookie holds. Owner: parley_owner.

SET LOCAL ROLE parley_owner;

-- Whether a cookie holds the session: then refresh_hash is that of the cookie, for as long as the session lives, and
-- refresh_expires_at moves on while it is used. Sessions from before, and of servers from before, are held by tokens.
ALTER TABLE parley.sessions ADD COLUMN is_browser boolean NOT NULL DEFAULT false;

RESET ROLE;
