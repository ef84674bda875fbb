#!/bin/sh
# Installs the agent on a board from the packages of its own roastery, and pairs it. Debian or Raspberry Pi OS, 12 or later.
#
#   curl -fsS @PORTAL@/packages/install.sh | sudo sh -s -- PAIR-XXXX-XXXX-XXXX
#
# It adds one source of packages, which apt reads with the key below and no other, and nothing else outside of the package.
# Without a ticket it only installs. Exit code: 0 done, 1 try again later, 2 a person has to do something first.
set -eu

portal='@PORTAL@'
fingerprint='@FINGERPRINT@'
keyring=/etc/apt/keyrings/roastery.asc
source=/etc/apt/sources.list.d/roastery.sources

stop() {
    code=$1
    shift
    printf '%s\n' "$*" >&2
    exit "$code"
}

print_key() {
    cat <<'KEY'
@KEY@
KEY
}

check_board() {
    [ "$(id -u)" = 0 ] || stop 2 'This needs root: put sudo before sh.'
    case "$ticket" in
    '' | PAIR-????-????-????) ;;
    *) stop 2 "\"$ticket\" is not a pairing ticket: a ticket looks like PAIR-BCDF-GHJK-LMNP." ;;
    esac
    command -v apt-get >/dev/null || stop 2 'This system has no apt: the agent needs Debian or Raspberry Pi OS, 12 or later.'
    system=$(. /etc/os-release && echo "${ID:-} ${VERSION_ID:-}")
    architecture=$(dpkg --print-architecture)
    case "$system" in
    debian\ [1-9] | debian\ 1[01] | raspbian\ [1-9] | raspbian\ 1[01])
        stop 2 "This is ${system% *} ${system#* }, which is too old: the agent needs Debian or Raspberry Pi OS, 12 or later."
        ;;
    esac
    case "$architecture" in
    amd64 | arm64) ;;
    armhf)
        case "$system" in
        debian\ 12 | raspbian\ 12)
            stop 2 'The 32-bit version 12 of this system has Node.js 18, which is too old: use the 64-bit image, or version 13.'
            ;;
        esac
        ;;
    *) stop 2 "There is no package for $architecture: the agent runs on arm64, amd64 and armhf." ;;
    esac
}

add_source() {
    mkdir -p "${keyring%/*}"
    print_key >"$keyring"
    chmod 0644 "$keyring"
    cat >"$source" <<SOURCE
Types: deb
URIs: $portal/packages
Suites: stable
Components: main
Signed-By: $keyring
SOURCE
}

# Only this source: the board's other sources may be slow or broken. When apt fails, its message is shown.
read_source() {
    said=$(apt-get update -q -o Dir::Etc::sourcelist="$source" -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0 \
        -o APT::Update::Error-Mode=any -o Acquire::Retries=3 2>&1) && return 0
    printf '%s\n' "$said" >&2
    case "$said" in
    *NO_PUBKEY* | *BADSIG* | *'not signed'* | *'no longer signed'* | *NOSPLIT* | *'invalid signature'* | *'Signing key on'* | *'Missing key'* | *'No good signature'* | *"couldn't be verified"*)
        rm -f "$source" "$keyring"
        stop 2 "The packages at $portal are not signed with the key $fingerprint: nothing was installed."
        ;;
    *'is expired'* | *'no longer valid'*)
        stop 1 "The packages at $portal are older than two years, or this board's clock is wrong: update the server, or set the clock, then run this again."
        ;;
    esac
    stop 1 "The packages at $portal could not be read: check this board's network, clock and DNS, then run this again."
}

install_agent() {
    set -- apt-get install -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 roastery-agent
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    "$@" && return 0
    # The power failed while packages were unpacked: dpkg finishes what it can, apt unpacks the rest again.
    dpkg --configure --pending || true
    "$@" && return 0
    # A new card has no package lists, or old ones.
    apt-get update -q || stop 1 'The package lists of this system could not be read: check its network, then run this again.'
    "$@" || stop 1 'The agent could not be installed: apt says why above. Fix that, then run this again.'
}

pair_board() {
    # shellcheck disable=SC2086 # a flag or empty
    device-agent pair "$ticket" --api "$portal" $trial && systemctl restart roastery-agent && return 0
    case $? in
    2 | 3) stop 2 'The agent is installed and not paired: see the sentence above.' ;;
    *) stop 1 'The agent is installed and not paired yet: see the sentence above, then run this again.' ;;
    esac
}

main() {
    ticket=${1:-} trial=${2:-}
    check_board
    add_source
    read_source
    install_agent
    if [ -z "$ticket" ]; then
        stop 0 "Installed. Pair the board: sudo device-agent pair PAIR-XXXX-XXXX-XXXX --api $portal"
    fi
    pair_board
    echo 'Installed and paired. What it sees: sudo device-agent doctor'
}

# Must be the last line: an incomplete download runs nothing.
main "$@"
