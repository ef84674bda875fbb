#!/bin/sh
# Installs a certificate where the proxy and the broker read it.
#   certificate.sh install <fullchain.pem> <privkey.pem>   a real one, e.g. from certbot's deploy hook
#   certificate.sh private <host>                          a private authority and a certificate of it, for trials and closed networks
# TLS_DIR: target folder (default: `tls` beside this script). TLS_OWNER: owner of the key, as the broker must read it
# (default 1000:1000, the user of the broker's image; root:roastery-tls with the systemd units).
# AUTHORITY_DIR: folder of the private authority's key (default: `tls-authority` beside TLS_DIR). The proxy and the broker
# read all of TLS_DIR, so the key must not be in there.
set -eu

usage() {
  sed -n '3,4s/^#   //p' "$0" >&2
  exit 2
}

folder=${TLS_DIR:-"$(dirname "$0")/tls"}
owner=${TLS_OWNER:-1000:1000}

# Both files are written under temporary names and renamed, so that no program reads half a file.
install_pair() {
  mkdir -p "$folder"
  chmod 0755 "$folder"
  (umask 077 && cp "$1" "$folder/.fullchain.pem.new" && cp "$2" "$folder/.privkey.pem.new")
  chmod 0644 "$folder/.fullchain.pem.new"
  chmod 0640 "$folder/.privkey.pem.new"
  chown "$owner" "$folder/.privkey.pem.new" 2>/dev/null ||
    echo "note: run as root so that the key can be given to $owner; the broker can't read it otherwise" >&2
  mv "$folder/.privkey.pem.new" "$folder/privkey.pem"
  mv "$folder/.fullchain.pem.new" "$folder/fullchain.pem"
}

case ${1:-} in
install)
  [ $# -eq 3 ] || usage
  install_pair "$2" "$3"
  ;;
private)
  [ $# -eq 2 ] || usage
  host=$2
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  authority=${AUTHORITY_DIR:-"$(dirname "$folder")/tls-authority"}
  case $host in
  *[!0-9.]*) name="DNS:$host" ;;
  *) name="IP:$host" ;;
  esac
  # Before the umask: the broker reads files in this folder.
  mkdir -p "$(dirname "$authority")"
  umask 077
  # Earlier versions kept it in a folder that the proxy reads.
  [ ! -d "$folder/authority" ] || [ -d "$authority" ] || mv "$folder/authority" "$authority"
  mkdir -p "$authority"
  chmod 0700 "$authority"
  if [ ! -e "$authority/authority.key" ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=Roastery private authority" \
      -keyout "$authority/authority.key" -out "$authority/authority.pem" 2>/dev/null
  fi
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$host" \
    -keyout "$work/key.pem" -out "$work/request.pem" 2>/dev/null
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n' "$name" >"$work/extensions"
  openssl x509 -req -in "$work/request.pem" -days 397 -CA "$authority/authority.pem" -CAkey "$authority/authority.key" \
    -CAcreateserial -extfile "$work/extensions" -out "$work/certificate.pem" 2>/dev/null
  cat "$work/certificate.pem" "$authority/authority.pem" >"$work/fullchain.pem"
  install_pair "$work/fullchain.pem" "$work/key.pem"
  echo "boards and browsers must trust $authority/authority.pem (boards: NODE_EXTRA_CA_CERTS in agent.env)"
  ;;
*) usage ;;
esac
