import { codeOf } from '@roastery/runtime/system-errors';
import { noTls, noWay, unknownAuthority } from '../pairing/pairing-trouble.ts';
import { trouble, type Verdict } from './check.ts';

/** A network address, with the setting that names it. */
export interface Peer {
  readonly host: string;
  readonly port: number;
  readonly setting: string;
}

export const peerOf = (url: string, setting: string): Peer => {
  const { hostname, port, protocol } = new URL(url);
  const usual: Record<string, number> = { 'https:': 443, 'http:': 80, 'mqtts:': 8883, 'mqtt:': 1883 };
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (usual[protocol] ?? 0), setting };
};

const isTimeout = (error: unknown): boolean =>
  codeOf(error) === 'ETIMEDOUT' ||
  (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'));

/** Why a peer can't be reached, below TLS; undefined where it can. */
export const aboutTheWay = (error: unknown, { host, port, setting }: Peer): Verdict | undefined => {
  const code = codeOf(error);
  if (code === 'ENOTFOUND')
    return trouble(
      `The host name ${host} is unknown.`,
      `Check the spelling of ${setting} and the DNS settings of the network (resolvectl query ${host}).`,
    );
  if (code === 'EAI_AGAIN')
    return trouble(
      `No DNS server answers, so ${host} can't be found.`,
      'Check whether the board is on a network: ip address; ip route. Plug in the cable, or set up the wireless network.',
    );
  if (noWay.has(code))
    return trouble(
      `There is no route to ${host}.`,
      'Plug in the network cable or set up the wireless network: ip address; ip route',
    );
  if (code === 'ECONNREFUSED')
    return trouble(
      `Nothing answers at ${host}, port ${port}.`,
      `Check whether the server is running and ${setting} has the right port.`,
    );
  if (isTimeout(error))
    return trouble(
      `${host}, port ${port}, does not answer.`,
      `Check whether a firewall blocks outgoing connections to port ${port}, and whether ${setting} is right.`,
    );
  return undefined;
};

/** Why a peer's certificate is not trusted; undefined for other errors. */
export const aboutTls = (error: unknown, { host, port, setting }: Peer, now = new Date()): Verdict | undefined => {
  const code = codeOf(error);
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return trouble(
      `The certificate of ${host} is ${code === 'CERT_HAS_EXPIRED' ? 'no longer' : 'not yet'} valid by this board's clock (${now.toISOString().slice(0, 19)} UTC).`,
      'If that time is wrong, set the clock: sudo timedatectl set-ntp true. If it is right, the operator of the server must renew its certificate.',
    );
  if (unknownAuthority.has(code))
    return trouble(
      `The certificate of ${host} was signed by an unknown authority.`,
      'Copy the roastery’s CA certificate to the board and set it in /etc/roastery-agent/settings.env: NODE_EXTRA_CA_CERTS=/etc/roastery-agent/authority.pem',
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return trouble(`The certificate at ${host} is for another name.`, `Use the name of the certificate in ${setting}.`);
  if (noTls.has(code) || code.startsWith('ERR_SSL'))
    return trouble(
      `${host}, port ${port}, does not speak TLS.`,
      `Check the port in ${setting}: https is usually 443, mqtts 8883.`,
    );
  return undefined;
};
