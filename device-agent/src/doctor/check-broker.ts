import { clientIdOf, topicOf } from '@roastery/contract/mqtt';
import type { AgentConfig } from '../config.ts';
import { codeOf } from '@roastery/runtime/system-errors';
import { brokersOf, readKeptBrokers, type KnownBrokers } from '../device-profile.ts';
import { openSession, SessionError } from '../uplink/session.ts';
import { hostAndPort } from '../uplink/broker-choice.ts';
import type { BoardUnderCheck } from './board-under-check.ts';
import { plainBrokerWarning } from '../pairing/pairing-trouble.ts';
import { good, notConfigured, skipped, trouble, warning, type Check, type Verdict } from './check.ts';
import { aboutTheWay, aboutTls, peerOf } from './connection-trouble.ts';
import { reach, shakeHands } from './tls-handshake.ts';

const sessionMs = 12_000;

const keptBrokers = async (dataDir: string): Promise<KnownBrokers | undefined> => {
  try {
    return await readKeptBrokers(dataDir);
  } catch (error) {
    // Not readable for this user: the agent also queries the api.
    if (codeOf(error) === 'EACCES') return undefined;
    throw error;
  }
};

const brokersOfBoard = async (board: BoardUnderCheck, config: AgentConfig): Promise<KnownBrokers | undefined> => {
  if (config.mqttUrl !== undefined) return { urls: [config.mqttUrl] };
  const answer = await board.api();
  if (answer.kind === 'answered' && answer.self) return brokersOf(answer.self);
  return keptBrokers(config.dataDir);
};

/** The problem between board and broker below MQTT; undefined without one. */
const aboutConnection = async (url: string, ca: string | undefined): Promise<Verdict | undefined> => {
  const peer = peerOf(url, 'the broker’s address (MQTT_URL, else what the server says)');
  try {
    await (url.startsWith('mqtts:') ? shakeHands(peer, ca) : reach(peer));
    return undefined;
  } catch (error) {
    return (
      aboutTheWay(error, peer) ??
      aboutTls(error, peer) ??
      trouble(
        `No connection to the broker at ${peer.host}, port ${peer.port}: ${String(error)}.`,
        `Check whether a firewall blocks outgoing connections to port ${peer.port}.`,
      )
    );
  }
};

const aboutRefusal = (error: SessionError, host: string): Verdict =>
  error.stage === 'refused'
    ? trouble(
        `The broker at ${host} refuses this board: ${error.message}.`,
        'Its token was replaced or revoked. Ask for a new ticket, then sudo device-agent pair PAIR-… --api https://…',
      )
    : trouble(
        `The broker at ${host} does not answer like an MQTT broker: ${error.message}.`,
        'Check the address of the broker. If it is right, tell the operator of the server.',
      );

/**
 * Connects with the board's credential and disconnects. Only while no agent runs: the broker accepts one connection per
 * board.
 */
const tryToComeIn = async (
  url: string,
  { login }: KnownBrokers,
  { machineSerial, machineToken, mqttCa }: AgentConfig,
): Promise<Verdict> => {
  const { host } = new URL(url);
  const began = performance.now();
  try {
    const session = await openSession({
      url,
      clientId: clientIdOf(machineSerial),
      ...(login ?? { username: machineSerial, password: machineToken }),
      ca: mqttCa,
      // Closed without DISCONNECT: no status of this board is published.
      will: {
        topic: topicOf(machineSerial, 'status'),
        payload: JSON.stringify({ v: 1, online: false, session: 'doctor', t: Date.now() }),
      },
      message: () => undefined,
      signal: AbortSignal.timeout(sessionMs),
    });
    await session.end();
    return good(`${host} accepts this board, within ${Math.round(performance.now() - began)} ms`);
  } catch (error) {
    if (error instanceof SessionError) return aboutRefusal(error, host);
    throw error;
  }
};

interface Way {
  readonly url: string;
  readonly inTheWay: Verdict | undefined;
}
const waysTo = (urls: readonly string[], ca: string | undefined): Promise<Way[]> =>
  Promise.all(urls.map(async (url) => ({ url, inTheWay: await aboutConnection(url, ca) })));

/** A good verdict, or a warning when one of the other brokers can't be reached. */
const withOthers = (verdict: Verdict, ways: readonly Way[], at: string | null): Verdict => {
  const away = ways.find(({ url, inTheWay }) => inTheWay !== undefined && hostAndPort(url) !== at)?.inTheWay;
  return verdict.outcome === 'good' && away !== undefined && 'todo' in away
    ? warning(`${away.says} Otherwise ${verdict.says}.`, away.todo)
    : verdict;
};

/** Checks that the brokers can be reached, and that one accepts this board. */
export const checkBroker: Check = {
  name: 'broker',
  async run(board) {
    const { config } = board;
    if (!config) return notConfigured;
    const agent = await board.agent();
    const brokers = await brokersOfBoard(board, config);
    const urls = brokers?.urls ?? [];
    if (agent.kind === 'seen' && agent.status.uplink.connected) {
      const { uplink, journal } = agent.status;
      const [plain] = urls.flatMap((url) => plainBrokerWarning(url) ?? []);
      if (plain !== undefined) return warning(plain, 'Until then keep the board in a separate network.');
      const where = urls.length > 1 ? ` to ${uplink.broker}, one of ${urls.length} brokers` : '';
      const connected = good(
        `the agent is connected${where}, ${journal.entries_waiting} entries wait for their acknowledgement`,
      );
      return urls.length > 1 ? withOthers(connected, await waysTo(urls, config.mqttCa), uplink.broker) : connected;
    }
    if (brokers === undefined) return skipped('only the api knows its address, and it does not answer');
    const ways = await waysTo(urls, config.mqttCa);
    const open = ways.find(({ inTheWay }) => inTheWay === undefined);
    if (open === undefined) return ways[0]?.inTheWay ?? skipped('the api knows no broker');
    const { url } = open;
    if (agent.kind === 'none') return withOthers(await tryToComeIn(url, brokers, config), ways, hostAndPort(url));
    if (agent.kind !== 'seen')
      return skipped(
        `${new URL(url).host} can be reached; only the status page can say whether the agent is connected`,
      );
    const { reason } = agent.status.uplink;
    return trouble(
      `${new URL(url).host} can be reached, but the agent is not connected${reason === null ? '' : `: ${reason}`}.`,
      'If the check of the credential above passed, it reconnects within a minute. Otherwise fix that first.',
    );
  },
};
