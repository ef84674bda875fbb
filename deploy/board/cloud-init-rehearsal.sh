#!/bin/sh
# Downloads the packages for the test of a board's card: this system's cloud-init and its missing dependencies, to
# ~/.cache/roastery-cloud-init; about 2 MB. Nothing is installed here. Needs root and apt. Then:
#   npx vitest run --project endurance device-agent/src/packaging/sealed-card.endurance.test.ts
set -eu

folder="${ROASTERY_CLOUD_INIT:-$HOME/.cache/roastery-cloud-init}"
mkdir -p "$folder/partial"
apt-get install --yes --no-install-recommends --download-only --option Dir::Cache::archives="$folder" cloud-init
ls "$folder"/*.deb
