#!/bin/sh
# Writes `.env` beside compose.yaml with fresh secrets. Usage: ./new-env.sh <host> [<admin e-mail>]
set -eu
umask 077

host=${1:?usage: new-env.sh <host> [<admin e-mail>]}
admin=${2:-}
target=${ENV_FILE:-"$(dirname "$0")/.env"}

if [ -e "$target" ]; then
  echo "$target exists; it holds the secrets of this installation and is not overwritten" >&2
  exit 1
fi

secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

cat >"$target" <<END
SITE_HOST=$host
POSTGRES_PASSWORD=$(secret)
BROKER_SECRET=$(secret)
SECRET_KEY=$(secret)
ADMIN_EMAIL=$admin
ADMIN_PASSWORD=
SUPPORT_EMAIL=
SMTP_URL=
MAIL_FROM=
PUSH_HOSTS=
METRICS_TOKEN=
API_INSTANCES=1
MQTT_SHARED_INGEST=false
LOG_LEVEL=info
BACKUP_KEEP=14
END
echo "wrote $target"
