#!/bin/sh
# Writes a consistent dump of the database while the programs run. Connection by libpq's variables (PGHOST, PGUSER,
# PGPASSWORD, PGDATABASE …), so that no secret appears in the process list.
# BACKUP_DIR: target folder (must exist). BACKUP_KEEP: number of dumps to keep (default 14).
set -eu
umask 077

folder=${BACKUP_DIR:?BACKUP_DIR is not set}
keep=${BACKUP_KEEP:-14}
case $keep in '' | *[!0-9]* | 0) echo "BACKUP_KEEP must be a whole number above 0" >&2 && exit 2 ;; esac

name="roastery-$(date -u +%Y%m%dT%H%M%SZ).dump"
partial="$folder/.$name.partial"
trap 'rm -f "$partial"' EXIT

pg_dump --format=custom --no-owner --no-privileges --file="$partial"
# A dump whose table of contents can't be read is no backup.
pg_restore --list "$partial" >/dev/null
sync "$partial"
(cd "$folder" && sha256sum ".$name.partial" | sed "s/\.$name\.partial/$name/" >"$name.sha256")
mv "$partial" "$folder/$name"
echo "$folder/$name"

# The oldest dumps are removed only after a good one.
ls -1 "$folder" | grep '^roastery-[0-9TZ]*\.dump$' | sort -r | tail -n "+$((keep + 1))" | while read -r old; do
  rm -f "$folder/$old" "$folder/$old.sha256"
done
