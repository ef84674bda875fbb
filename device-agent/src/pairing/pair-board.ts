import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackoffLimits } from '@roastery/runtime/backoff';
import { deviceSelf, isPairingCode, lettersOfPairingCode } from '@roastery/contract/devices';
import { readFileIfThere, writeFileAtomically } from '../atomic-file.ts';
import { withBasePath } from '../config.ts';
import { httpRequest } from '../http-request.ts';
import { readIdentity, writeIdentity, type BoardIdentity } from './env-file.ts';
import { exchangeTicket, TicketRefused } from './exchange.ts';
import { PairingTrouble, plainBrokerWarning, sentenceForFolder } from './pairing-trouble.ts';
import { forgetPending, hashOfSecret, secretFor } from './pending-secret.ts';

export interface PairingOrder {
  /** The ticket as typed: `PAIR-XXXX-XXXX-XXXX`. */
  readonly ticket: string;
  /** Address of the roastery, with or without `/api/v1`. */
  readonly api: string;
  readonly configDir: string;
  /** Without TLS, in a private network. */
  readonly isTrial?: boolean;
  readonly agentVersion: string;
  /** Pauses before a retry after a lost answer. */
  readonly retryLimits?: BackoffLimits;
}

/** With a larger difference, times of roasts recorded offline would look wrong. */
const clockToleranceMs = 120_000;
/** Names and addresses that only a private network can have. */
const isOwnNetwork = (hostname: string): boolean =>
  /^(10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(hostname) ||
  /^\[f[cd][\da-f]{2}:|^\[fe80:/i.test(hostname) ||
  /^[\w-]+(\.(local|lan|home\.arpa))?$/i.test(hostname);
const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

const readTicket = (typed: string): string => {
  const letters = lettersOfPairingCode(typed);
  if (!isPairingCode(letters))
    throw new PairingTrouble(
      `${typed.trim() === '' ? 'That' : `"${typed.trim().slice(0, 40)}"`} is not a pairing ticket. A ticket looks like PAIR-BCDF-GHJK-LMNP: twelve letters, no vowels, no digits. Copy it from the ticket.`,
      'called wrongly',
    );
  return letters;
};

/** For a trial in a private network: the only way to pair without TLS. */
export const trialFlag = '--trial-without-tls';

/** The api's base address as typed. Throws `PairingTrouble` if the connection to it would be open to eavesdroppers. */
export const readApi = (typed: string, isTrial: boolean): string => {
  const written = typed.includes('://') ? typed : `https://${typed}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new PairingTrouble(
      `"${typed}" is not an address. Use --api https://roastery.example, as on the ticket.`,
      'called wrongly',
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !(isTrial && isOwnNetwork(url.hostname)))
    throw new PairingTrouble(
      isTrial
        ? `${url.hostname} is not in a private network: ${trialFlag} is not allowed there. Use --api https://${url.host}.`
        : `Pairing requires TLS: use --api https://${url.host}. If the roastery has no https yet, set it up first; for a trial in a private network add ${trialFlag}.`,
      'called wrongly',
    );
  return withBasePath(`${url.origin}${url.pathname}`);
};

/** Checks that a file can be created, synced and renamed there, before a ticket is used. */
const proveWritable = async (folder: string): Promise<void> => {
  const probe = join(folder, '.pairing-probe');
  try {
    await mkdir(folder, { recursive: true });
    await writeFileAtomically(probe, 'may be deleted\n');
    await rm(probe);
  } catch (error) {
    throw new PairingTrouble(sentenceForFolder(error, folder));
  }
};

/** The maker's serial number of a board, as the kernel reads it from the device tree. */
const deviceTreePath = '/proc/device-tree/serial-number';
const machineIdPath = '/etc/machine-id';

/**
 * Identifies this board for people who review pairings: the maker's serial number, else a hash of the machine id,
 * because systemd requires that the id itself stays on the computer.
 */
const readHardwareId = async (): Promise<string> => {
  const serial = (await readFileIfThere(deviceTreePath))?.replaceAll(/[^\w-]/g, '') ?? '';
  if (serial !== '') return `board-${serial}`.slice(0, 80);
  const machineId = (await readFileIfThere(machineIdPath))?.trim() ?? '';
  if (machineId === '') return 'unknown';
  return `host-${createHash('sha256').update(`roastery-agent ${machineId}`).digest('hex').slice(0, 16)}`;
};

/** Calls the server with a credential: `accepted`, `refused`, or `away` without an answer. */
const callHome = async (identity: BoardIdentity): Promise<'accepted' | 'refused' | 'away'> => {
  const headers = {
    authorization: `Bearer ${identity.MACHINE_TOKEN}`,
    'x-machine-serial': encodeURIComponent(identity.MACHINE_SERIAL),
  };
  try {
    const { status } = await httpRequest(`${withBasePath(identity.API_URL)}${deviceSelf.path}`, {
      headers,
      timeoutMs: 8000,
    });
    if (status === 200) return 'accepted';
    return status === 401 ? 'refused' : 'away';
  } catch (error) {
    if (error instanceof Error) return 'away';
    throw error;
  }
};

const refused = async (envPath: string): Promise<PairingTrouble> => {
  const identity = await readIdentity(envPath);
  const isPaired = identity !== undefined && (await callHome(identity)) === 'accepted';
  return new PairingTrouble(
    isPaired
      ? `The ticket was not accepted, but this board is already paired with the machine ${identity.MACHINE_SERIAL}, and the server confirms it. To pair it again, ask for a new ticket.`
      : 'The ticket was not accepted. Check its letters; a ticket works once and for seven days. If they are right, ask the owner of the machine or an administrator for a new ticket.',
    'ticket refused',
  );
};

/**
 * Exchanges a ticket for this board's own credential and writes it to `agent.env` in the configuration folder. Safe to
 * call again after any interruption: the same ticket uses the same secret until the file is written. Throws
 * `PairingTrouble`.
 */
export const pairBoard = async (order: PairingOrder, say: (line: string) => void): Promise<void> => {
  const ticket = readTicket(order.ticket);
  const api = readApi(order.api, order.isTrial === true);
  if (api.startsWith('http:') && !isLoopback(new URL(api).hostname))
    say(
      'WARNING: a trial without TLS. Anyone on this network can read the machine’s token. Pair again over https:// for daily work.',
    );
  const { configDir } = order;
  const envPath = join(configDir, 'agent.env');
  await proveWritable(configDir);
  const secret = await secretFor(configDir, ticket, api).catch((error: unknown) => {
    throw new PairingTrouble(sentenceForFolder(error, configDir));
  });

  // An earlier attempt wrote the file and was interrupted before it could report success.
  const before = await readIdentity(envPath);
  if (before?.MACHINE_TOKEN === secret && (await callHome(before)) === 'accepted') {
    await forgetPending(configDir);
    say(`This board is paired with the machine ${before.MACHINE_SERIAL}. Its credential is in ${envPath}.`);
    return;
  }

  const request = {
    code: ticket,
    secret_hash: hashOfSecret(secret),
    hardware_id: await readHardwareId(),
    agent_version: order.agentVersion,
  };
  const paired = await exchangeTicket(api, request, say, order.retryLimits).catch(async (error: unknown) => {
    throw error instanceof TicketRefused ? await refused(envPath) : error;
  });
  const identity = { API_URL: api, MACHINE_SERIAL: paired.serialNumber, MACHINE_TOKEN: secret };
  try {
    await writeIdentity(envPath, identity);
  } catch (error) {
    throw new PairingTrouble(
      `${sentenceForFolder(error, configDir)} The ticket stays valid: run the same command again within 15 minutes.`,
    );
  }
  await forgetPending(configDir);
  say(`Paired with ${paired.displayName} (${paired.serialNumber}). The credential is in ${envPath}.`);
  const [warning] = paired.mqttUrls.flatMap((url) => plainBrokerWarning(url) ?? []);
  if (warning !== undefined) say(`WARNING: ${warning}`);
  if ((await callHome(identity)) !== 'accepted')
    say('The server has not confirmed it yet; it will when the agent first connects.');
  if (paired.clockAheadMs !== undefined && Math.abs(paired.clockAheadMs) > clockToleranceMs)
    say(
      `The clock of this board is ${Math.round(Math.abs(paired.clockAheadMs) / 60_000)} min ${paired.clockAheadMs > 0 ? 'behind' : 'ahead'}. Set it: timedatectl set-ntp true`,
    );
};
