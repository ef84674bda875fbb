import { packagesPath, trialFlag } from './board-packages.ts';

/** Settings on a board's SD card about its machine. */
export interface CardFacts {
  readonly serialNumber: string;
  readonly portalUrl: string;
  /** `PAIR-…` */
  readonly ticket: string;
}

export interface WirelessNetwork {
  readonly name: string;
  readonly password: string;
  /** ISO 3166, two letters: decides which channels are allowed. */
  readonly country: string;
}

/** Letters, digits and dashes, as allowed in a host name. */
export const hostNameOf = (serialNumber: string): string => {
  const letters = serialNumber
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return letters === '' ? 'roaster' : `roaster-${letters}`;
};

/** A JSON string is a quoted string of YAML too. */
const quoted = (text: string): string => JSON.stringify(text);
const forShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, '      ').replaceAll(/ +$/gm, '');

const script = '/usr/local/sbin/roastery-first-boot';
const unit = 'roastery-first-boot.service';

const firstBoot = ({ portalUrl, ticket }: CardFacts): string => `#!/bin/sh
# Installs roastery-agent from its portal and pairs it; the unit runs it again until that has worked.
set -eu
if [ -e /etc/roastery-agent/agent.env ]; then exit 0; fi
curl -fsS -o "$RUNTIME_DIRECTORY/install.sh" ${forShell(`${portalUrl}${packagesPath}/install.sh`)} || exit 1
exec sh "$RUNTIME_DIRECTORY/install.sh" ${forShell(ticket)}${trialFlag(portalUrl)}
`;

/** Stops retrying when it has worked, or when install.sh reports that a person has to act (2). */
const firstBootUnit = `[Unit]
Description=Install and pair roastery-agent
Wants=network-online.target time-sync.target
After=network-online.target time-sync.target
StartLimitIntervalSec=0

[Service]
Type=oneshot
RuntimeDirectory=roastery-first-boot
ExecStart=${script}
ExecStartPost=/bin/systemctl disable ${unit}
ExecStartPost=/bin/rm -f ${script}
Restart=on-failure
RestartSec=20
RestartPreventExitStatus=2

[Install]
WantedBy=multi-user.target
`;

/** The file `user-data` of a card, for cloud-init: at its first start the board installs the agent and pairs itself. */
export const cardUserData = (facts: CardFacts): string => `#cloud-config
hostname: ${hostNameOf(facts.serialNumber)}
manage_etc_hosts: true
write_files:
  - path: ${script}
    permissions: '0700'
    content: |
${indented(firstBoot(facts))}
  - path: /etc/systemd/system/${unit}
    permissions: '0644'
    content: |
${indented(firstBootUnit)}
runcmd:
  - [systemctl, daemon-reload]
  - [systemctl, enable, ${unit}]
  - [systemctl, start, --no-block, ${unit}]
`;

const wirelessPart = ({ name, password, country }: WirelessNetwork): string => `  wifis:
    wlan0:
      dhcp4: true
      optional: true
      regulatory-domain: ${quoted(country.toUpperCase())}
      access-points:
        ${quoted(name)}:${password === '' ? ' {}' : `\n          password: ${quoted(password)}`}
`;

/** The file `network-config` of a card: the cable, and a wireless network where one is given. */
export const cardNetworkConfig = (wireless?: WirelessNetwork): string => `network:
  version: 2
  ethernets:
    eth0:
      dhcp4: true
      optional: true
${wireless === undefined ? '' : wirelessPart(wireless)}`;
