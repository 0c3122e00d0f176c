-- What the directory needs of PostgreSQL's own extensions. Owner: whoever migrates; pg_trgm is trusted, so the right to
-- create in the database is enough. The name of the schema is part of the next migration: an installation that has the
-- extension elsewhere must move it (ALTER EXTENSION pg_trgm SET SCHEMA public).
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
