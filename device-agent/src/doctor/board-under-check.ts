import { deviceSelf } from '@roastery/contract/devices';
import type { MachineMap } from '@roastery/contract/machine-map';
import { parseJson } from '@roastery/contract/parse-shape';
import { ConfigError } from '@roastery/runtime/env';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { createLogger } from '@roastery/runtime/logger';
import type { z } from 'zod';
import { readBoardConfig } from '../board-files.ts';
import type { AgentConfig } from '../config.ts';
import { deviceAnswerShape } from '../device-profile.ts';
import { httpRequest } from '../http-request.ts';
import { chooseMachineMap, mapFromServer } from '../machine-map-file.ts';
import { findRunningAgent, type RunningAgent } from '../running-agent.ts';
import { readMachine, type MachineReading } from './machine-reading.ts';

export type ApiAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly tookMs: number;
      /** The server's clock minus ours, ms; undefined when the answer has none. */
      readonly clockAheadMs: number | undefined;
      /** The server's data about this machine; undefined unless it is a roastery that accepts our credential. */
      readonly self: DeviceSelf | undefined;
    }
  | { readonly kind: 'failed'; readonly error: unknown };
type DeviceSelf = z.infer<typeof deviceAnswerShape>;

export type FoundMap =
  | { readonly kind: 'found'; readonly map: MachineMap }
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong'; readonly says: string };

/** One board and the findings about it: each query is sent once, when the first check needs it. */
export interface BoardUnderCheck {
  readonly configDir: string;
  /** The configuration, or the error that prevents reading it. */
  readonly config: AgentConfig | undefined;
  readonly configError: unknown;
  readonly agent: () => Promise<RunningAgent>;
  readonly api: () => Promise<ApiAnswer>;
  readonly map: () => Promise<FoundMap>;
  /** One reading of the machine; only requested while no agent runs. */
  readonly reading: () => Promise<MachineReading | undefined>;
}

const apiTimeoutMs = 8000;
const pageOpensWithinMs = 8000;
const silent = createLogger('doctor', 'silent');

const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
};

const askApi = async ({ apiUrl, machineSerial, machineToken }: AgentConfig, clock: Clock): Promise<ApiAnswer> => {
  const headers = {
    authorization: `Bearer ${machineToken}`,
    'x-machine-serial': encodeURIComponent(machineSerial),
  };
  const began = clock.monotonic();
  try {
    const answer = await httpRequest(`${apiUrl}${deviceSelf.path}`, { headers, timeoutMs: apiTimeoutMs });
    const serverNow = Date.parse(answer.headers.date ?? '');
    return {
      kind: 'answered',
      status: answer.status,
      tookMs: Math.round(clock.monotonic() - began),
      clockAheadMs: Number.isNaN(serverNow) ? undefined : serverNow - clock.now(),
      self: answer.status === 200 ? parseJson(deviceAnswerShape, answer.text).data : undefined,
    };
  } catch (error) {
    return { kind: 'failed', error };
  }
};

const loadConfig = (configDir: string, env: NodeJS.ProcessEnv): { config?: AgentConfig; configError?: unknown } => {
  try {
    return { config: readBoardConfig(configDir, env) };
  } catch (configError) {
    return { configError };
  }
};

const pollMs = 500;

/** An agent that has just started gets time to open its page. */
const askAgent = async (config: AgentConfig, clock: Clock): Promise<RunningAgent> => {
  const until = clock.monotonic() + pageOpensWithinMs;
  for (;;) {
    const agent = await findRunningAgent(config);
    if (agent.kind !== 'unseen' || agent.page !== 'starting' || clock.monotonic() > until) return agent;
    await pause(pollMs, undefined, clock);
  }
};

/** Examines a board by its configuration folder, without changing or disturbing anything. */
export const inspectBoard = (
  configDir: string,
  env: NodeJS.ProcessEnv = process.env,
  clock: Clock = realClock,
): BoardUnderCheck => {
  const { config, configError } = loadConfig(configDir, env);
  const agent = once(async (): Promise<RunningAgent> => (config ? askAgent(config, clock) : { kind: 'none' }));
  const api = once(async (): Promise<ApiAnswer> =>
    config ? askApi(config, clock) : { kind: 'failed', error: new Error('the board is not configured yet') },
  );
  const map = once(async (): Promise<FoundMap> => {
    if (!config) return { kind: 'none' };
    try {
      const onBoard = await chooseMachineMap(config.dataDir, config.machineMapPath, silent);
      if (onBoard) return { kind: 'found', map: onBoard };
    } catch (error) {
      if (error instanceof ConfigError) return { kind: 'wrong', says: error.message };
      if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
      return { kind: 'wrong', says: `the map in ${config.dataDir} can't be read by this user` };
    }
    const answer = await api();
    const given = mapFromServer((answer.kind === 'answered' ? answer.self?.map : undefined) ?? null);
    if ('trouble' in given) return { kind: 'wrong', says: given.trouble };
    return given.map ? { kind: 'found', map: given.map } : { kind: 'none' };
  });
  return {
    configDir,
    config,
    configError,
    agent,
    api,
    map,
    reading: once(async () => {
      const found = await map();
      return found.kind === 'found' ? readMachine(found.map, clock) : undefined;
    }),
  };
};
