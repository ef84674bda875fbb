import { codeOf } from '@roastery/runtime/system-errors';
import { isIP } from 'node:net';
/** Pairing cannot continue. The message is an instruction for the person at the board. */
export class PairingTrouble extends Error {
  override readonly name = 'PairingTrouble';
  /** `called wrongly`: no request was sent. `ticket refused`: the same command can't succeed later. */
  readonly kind: 'called wrongly' | 'ticket refused' | 'may pass';

  constructor(message: string, kind: PairingTrouble['kind'] = 'may pass') {
    super(message);
    this.kind = kind;
  }
}

export const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
export const noWay = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL']);
export const noTls = new Set(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** What to do when no request reached `url`; undefined if one may have, and only its answer was lost. */
export const sentenceForNoConnection = (error: unknown, url: string, now = new Date()): string | undefined => {
  const code = codeOf(error);
  const { host, hostname } = new URL(url);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The host name ${hostname} is unknown. Check that the board is on a network (ip address) and that the address after --api is right.`;
  if (noWay.has(code))
    return `There is no route to ${hostname}. Plug in the network cable or set up the wireless network, then run this again.`;
  if (code === 'ECONNREFUSED')
    return `Nothing answers at ${host}. Check the address and port after --api, and that the roastery's server is running.`;
  if (code === 'CERT_NOT_YET_VALID' || code === 'CERT_HAS_EXPIRED')
    return `The certificate of ${hostname} is not valid at this board's time (${now.toISOString()}). If that time is wrong, set the clock: timedatectl set-ntp true. If it is right, the server's certificate must be renewed.`;
  if (unknownAuthority.has(code))
    return `The certificate of ${hostname} was signed by an unknown authority. Copy the roastery's CA certificate to the board and run: NODE_EXTRA_CA_CERTS=/path/authority.pem device-agent pair …`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The server's certificate is not for the name ${hostname}. Use the name on the ticket after --api.`;
  if (noTls.has(code) || code.startsWith('ERR_SSL'))
    return `The server at ${host} does not speak TLS. Check the port after --api: https is usually 443.`;
  return undefined;
};

/** Why a folder or file of the configuration can't be written, and what to do. */
export const sentenceForFolder = (error: unknown, folder: string): string => {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM')
    return `This user can't write to the folder ${folder}. Run as root: sudo device-agent pair …`;
  if (code === 'EROFS')
    return `The folder ${folder} is on a read-only card or disk. Mount it for writing, or use another folder: --config-dir FOLDER`;
  if (code === 'ENOSPC')
    return `The disk of ${folder} is full. Free some space (journalctl --vacuum-size=50M), then run this again.`;
  if (code === 'ENOTDIR' || code === 'EEXIST') return `${folder} is not a folder. Use a folder: --config-dir FOLDER`;
  return `The folder ${folder} can't be written (${code === '' ? String(error) : code}). Use another one: --config-dir FOLDER`;
};

const isThisBoard = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * The warning before the machine's token is sent to this broker; undefined when the connection is encrypted or stays on
 * the board.
 */
export const plainBrokerWarning = (mqttUrl: string): string | undefined => {
  if (!URL.canParse(mqttUrl)) return undefined;
  const { protocol, hostname, host } = new URL(mqttUrl);
  if (protocol !== 'mqtt:' && protocol !== 'ws:') return undefined;
  if (isThisBoard(hostname.replace(/^\[|\]$/g, ''))) return undefined;
  return `The connection to the broker ${host} is not encrypted (${protocol}//): anyone on the network can read the machine's token and all readings. Ask the operator of the server to offer mqtts:// (MQTT_PUBLIC_URL).`;
};
