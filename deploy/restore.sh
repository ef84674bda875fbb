#!/bin/sh
# Restores a dump of backup.sh into an empty database, all or nothing. Stop the api first. Connection by libpq's variables.
# Usage: restore.sh <file>
set -eu

file=${1:?usage: restore.sh <file>}
: "${PGDATABASE:?PGDATABASE is not set}"

if [ -e "$file.sha256" ]; then
  (cd "$(dirname "$file")" && sha256sum --check --quiet "$(basename "$file").sha256")
else
  echo "note: $file.sha256 is missing, so the file is not checked against it" >&2
fi

relations=$(psql --no-psqlrc --tuples-only --no-align --set=ON_ERROR_STOP=1 --command="
  SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%' AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')")
if [ "$relations" != 0 ]; then
  echo "$PGDATABASE is not empty ($relations relations); make a new database and restore into that" >&2
  exit 1
fi

pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --dbname="$PGDATABASE" "$file"
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --command='ANALYZE'
echo "restored into $PGDATABASE"
