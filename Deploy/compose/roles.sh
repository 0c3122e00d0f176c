#!/bin/bash
# Run once by PostgreSQL's image, when it makes its data directory: the accounts of Operating.md, "A PostgreSQL of your own".
set -euo pipefail

# The passwords are read from the environment: arguments are seen by others.
psql -v ON_ERROR_STOP=1 --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv serve_password PARLEY_SERVE_PASSWORD
\getenv migrate_password PARLEY_MIGRATE_PASSWORD
CREATE ROLE parley_owner NOLOGIN;
CREATE ROLE parley_server NOLOGIN;
CREATE ROLE parley_migrate LOGIN PASSWORD :'migrate_password';
CREATE ROLE parley_serve LOGIN PASSWORD :'serve_password';
GRANT parley_owner, parley_server TO parley_migrate;
GRANT parley_server TO parley_serve;
CREATE DATABASE parley OWNER parley_migrate TEMPLATE template0
    ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8';
SQL
