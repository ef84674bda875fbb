import { join } from 'node:path';
import { deviceSelf, deviceSelfShape, type MqttLogin } from '@roastery/contract/devices';
import type { MachineMap } from '@roastery/contract/machine-map';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { parseRetryAfter, pause } from '@roastery/runtime/backoff';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { z } from 'zod';
import { readFileIfThere, writeFileAtomically } from './atomic-file.ts';
import { httpRequest } from './http-request.ts';
import { mapFromServer } from './machine-map-file.ts';

/** The addresses of the brokers, and the login that they expect instead of serial number and token. */
export interface KnownBrokers {
  readonly urls: readonly string[];
  readonly login?: MqttLogin | undefined;
}

export interface DeviceProfile {
  readonly brokers: KnownBrokers;
  readonly map: MachineMap | null;
  /** Why this agent cannot use the server's map; the rest of the response is still valid. */
  readonly mapTrouble?: string;
}

export interface DeviceProfileParts {
  readonly apiUrl: string;
  readonly machineSerial: string;
  readonly machineToken: string;
  readonly dataDir: string;
  readonly log: Logger;
}

const timeoutMs = 8000;
/** An address that is known does not wait longer for an answer: the api may hang while the brokers work. */
const knownWithinMs = 2000;
/** The longest pause that the api may request. */
const maxPauseMs = 600_000;
/** A map that this agent can't read must not invalidate the rest: the server may be newer. */
export const deviceAnswerShape = deviceSelfShape.extend({ map: z.unknown() });
const keptShape = deviceSelfShape.pick({ mqtt_url: true, mqtt_urls: true, mqtt_login: true });
type Kept = z.infer<typeof keptShape>;
const keptPathIn = (dataDir: string): string => join(dataDir, 'device.json');
export const brokersOf = ({ mqtt_url: url, mqtt_urls: urls = [url], mqtt_login: login }: Kept): KnownBrokers => ({
  urls,
  login,
});

/** The brokers of the api's last answer; undefined without one. Throws what reading the file throws. */
export const readKeptBrokers = async (dataDir: string, log?: Logger): Promise<KnownBrokers | undefined> => {
  const text = await readFileIfThere(keptPathIn(dataDir));
  if (text === undefined) return undefined;
  const parsed = parseJson(keptShape, text);
  if (parsed.success) return brokersOf(parsed.data);
  log?.warn({ reason: describeRefusal(parsed) }, 'api: stored profile ignored');
  return undefined;
};

/**
 * The api's data about this board. The last answer is stored on disk, so that a start without a network finds its
 * broker.
 */
export const createDeviceProfile = ({ apiUrl, machineSerial, machineToken, dataDir, log }: DeviceProfileParts) => {
  const gate = createLogGate(60_000);
  let serverOffsetMs: number | undefined;
  /** The file's content. */
  let keptText: string | undefined;
  let known: KnownBrokers | undefined;
  let asking: Promise<unknown> | undefined;
  /** The api requested a pause: no request is sent until then. */
  let askAgainAt = -Infinity;

  const complain = (problem: string): undefined => {
    const held = gate(problem);
    if (held !== undefined) log.warn(held > 0 ? { problem, held_back: held } : { problem }, 'api: no profile');
    return undefined;
  };

  const keep = async (next: Kept): Promise<KnownBrokers> => {
    known = brokersOf(next);
    const text = `${JSON.stringify(next)}\n`;
    if (text !== keptText) {
      keptText = text;
      await writeFileAtomically(keptPathIn(dataDir), text).catch((error: unknown) =>
        log.warn({ reason: String(error) }, 'api: writing profile failed'),
      );
    }
    return known;
  };

  const ask = async (): Promise<DeviceProfile | undefined> => {
    if (performance.now() < askAgainAt) return undefined;
    const askedAt = Date.now();
    let body: string;
    try {
      const headers = {
        authorization: `Bearer ${machineToken}`,
        'x-machine-serial': encodeURIComponent(machineSerial),
      };
      const { status, text, headers: given } = await httpRequest(`${apiUrl}${deviceSelf.path}`, { headers, timeoutMs });
      const retryAfterMs = status === 200 ? undefined : parseRetryAfter(given['retry-after']);
      if (retryAfterMs !== undefined) askAgainAt = performance.now() + Math.min(retryAfterMs, maxPauseMs);
      if (status === 401) return complain('machine serial or token is not accepted');
      if (status !== 200) return complain(`status ${status}`);
      body = text;
    } catch (error) {
      return complain(error instanceof Error ? error.message || error.name : String(error));
    }
    const parsed = parseJson(deviceAnswerShape, body);
    if (!parsed.success) return complain('unexpected answer');
    const { map, server_time: serverTime, mqtt_url, mqtt_urls, mqtt_login } = parsed.data;
    serverOffsetMs = Date.parse(serverTime) - (askedAt + Date.now()) / 2;
    const brokers = await keep({ mqtt_url, mqtt_urls, mqtt_login });
    const given = mapFromServer(map);
    return 'map' in given ? { brokers, map: given.map } : { brokers, map: null, mapTrouble: given.trouble };
  };

  const kept = (): Promise<KnownBrokers | undefined> =>
    readKeptBrokers(dataDir, log).catch((error: unknown) => {
      log.warn({ reason: String(error) }, 'api: stored profile unreadable');
      return undefined;
    });

  return {
    /** Requests the data; undefined when the api can't be reached or rejects the credential (logged once a minute). */
    ask,
    /** The brokers: of the api's newest answer, else those stored on disk. */
    async brokers(): Promise<KnownBrokers | undefined> {
      asking ??= ask().finally(() => (asking = undefined));
      const stored = known ?? (await kept());
      // It may have answered.
      known ??= stored;
      await (known === undefined ? asking : Promise.race([asking, pause(knownWithinMs)]));
      return known;
    },
    /** The addresses that the server has sent since its last answer. */
    async learn(urls: readonly string[]): Promise<void> {
      const [first] = urls;
      if (first === undefined || known === undefined || known.urls.join() === urls.join()) return;
      await keep({ mqtt_url: first, mqtt_urls: [...urls], mqtt_login: known.login });
    },
    /** Server time minus ours at the last answer, ms. */
    serverOffsetMs: (): number | undefined => serverOffsetMs,
  };
};
export type DeviceProfileSource = ReturnType<typeof createDeviceProfile>;
