import { codeOf, messageOf } from '@roastery/runtime/system-errors';
import { appendFileSync, readFileSync } from 'node:fs';
import { machineMapShape, type MachineMap } from '@roastery/contract/machine-map';
import { parseShape } from '@roastery/contract/parse-shape';
import { AlogError, parseAlog } from '@roastery/roasting/artisan/alog';
import { ConfigError, readEnv } from '@roastery/runtime/env';
import { logLevels, type Logger } from '@roastery/runtime/logger';
import { z } from 'zod';
import { takeControlLines } from './control-lines.ts';
import { demoPort, demoRoasterMap } from './maps/demo-roaster.ts';
import { faultsShape } from './modbus/faults.ts';
import { startPhases } from './modelled-machine.ts';
import type { ReplayOptions } from './replay.ts';
import { startSimulator } from './simulator.ts';

const environmentShape = z.object({
  SIM_HOST: z.string().default('127.0.0.1'),
  SIM_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  /** Path of a machine map; the demo machine's by default. */
  SIM_MAP: z.string().optional(),
  TIME_FACTOR: z.coerce.number().positive().max(1000).default(1),
  /** Path of an `.alog` file to replay instead of the model. */
  SIM_REPLAY: z.string().optional(),
  /** Seconds of the recording's own time to begin at. */
  SIM_REPLAY_FROM: z.coerce.number().optional(),
  /** Seconds of the recording's first sample before it plays. */
  SIM_REPLAY_LEAD: z.coerce.number().min(0).default(0),
  SIM_REPLAY_LOOP: z.stringbool().default(false),
  /** Whether charge, first crack and drop of the recording raise the map's event bits. */
  SIM_REPLAY_EVENTS: z.stringbool().default(true),
  SIM_START: z.enum(startPhases).default('preheat'),
  SIM_AUTO: z.stringbool().default(true),
  SIM_SEED: z.coerce.number().int().default(1),
  SIM_CAPACITY_KG: z.coerce.number().positive().max(1000).default(30),
  /** JSON object of faults from the start. */
  FAULTS: z.string().default('{}'),
  /** `stdin`: JSON lines on standard input control the machine. */
  SIM_CONTROL: z.enum(['none', 'stdin']).default('none'),
  /** File to which every change of the registers is appended, one JSON line each. */
  SIM_RECORD: z.string().optional(),
  /** File to which every answer with registers is appended, one JSON line each. */
  SIM_ANSWERS: z.string().optional(),
  LOG_LEVEL: z.enum(logLevels).default('info'),
});

/** Starts the simulator that the environment describes. Rejects with a `ConfigError` of one line when it contradicts itself. */
export const startFromEnvironment = async (
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<{ port: number | undefined; close(): Promise<void> }> => {
  const config = readEnv(environmentShape, env);
  log.level = config.LOG_LEVEL;
  const map = config.SIM_MAP === undefined ? demoRoasterMap() : readMap(config.SIM_MAP);
  const { SIM_RECORD: recordPath, SIM_ANSWERS: answersPath, SIM_REPLAY: replayPath } = config;
  const replay: ReplayOptions | undefined =
    replayPath === undefined
      ? undefined
      : {
          roast: readRoast(replayPath, config.SIM_REPLAY_FROM),
          ...(config.SIM_REPLAY_FROM === undefined ? {} : { fromSeconds: config.SIM_REPLAY_FROM }),
          leadSeconds: config.SIM_REPLAY_LEAD,
          events: config.SIM_REPLAY_EVENTS,
          autoStart: config.SIM_AUTO,
          ...(config.SIM_REPLAY_LOOP ? { loopAfterSeconds: 120 } : {}),
        };
  const simulator = await startSimulator({
    map,
    host: config.SIM_HOST,
    ...(config.SIM_PORT === undefined ? {} : { port: config.SIM_PORT }),
    timeFactor: config.TIME_FACTOR,
    seed: config.SIM_SEED,
    faults: parseFaults(config.FAULTS),
    model: { capacityKg: config.SIM_CAPACITY_KG, start: config.SIM_START, autoCharge: config.SIM_AUTO },
    ...(replay === undefined ? {} : { replay }),
    // Written at once, so that a test that kills this process still has the whole record.
    ...(recordPath === undefined
      ? {}
      : { onPresented: (state) => appendFileSync(recordPath, `${JSON.stringify(state)}\n`) }),
    ...(answersPath === undefined
      ? {}
      : { onAnswer: (answer) => appendFileSync(answersPath, `${JSON.stringify(answer)}\n`) }),
    log,
  }).catch((error: unknown) => {
    throw asConfigError(error, map, config.SIM_PORT);
  });
  const stopControl = config.SIM_CONTROL === 'stdin' ? takeControlLines(process.stdin, simulator, log) : undefined;
  const link = map.link.kind === 'rtu' || map.link.kind === 'ascii' ? map.link.path : `port ${simulator.port}`;
  log.info(
    { port: simulator.port, kind: map.link.kind, map: map.id, timeFactor: config.TIME_FACTOR },
    `listening on ${link}`,
  );
  return {
    port: simulator.port,
    async close() {
      stopControl?.();
      await simulator.close();
    },
  };
};

const readText = (path: string, what: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${what} ${path} can't be read: ${codeOf(error)}`);
  }
};

const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${what} is not JSON: ${messageOf(error)}`);
  }
};

const parsed = <S extends z.ZodType>(shape: S, value: unknown, what: string): z.output<S> => {
  const result = parseShape(shape, value);
  if (result.success) return result.data;
  const [issue] = result.issues;
  throw new ConfigError(`${what}: ${issue?.path.join('.') || 'as a whole'}: ${issue?.message}`);
};

const readMap = (path: string): MachineMap =>
  parsed(machineMapShape, parseJson(readText(path, 'SIM_MAP'), `SIM_MAP ${path}`), `SIM_MAP ${path}`);

const parseFaults = (text: string) => parsed(faultsShape, parseJson(text, 'FAULTS'), 'FAULTS');

const readRoast = (path: string, fromSeconds = Number.NEGATIVE_INFINITY): ReplayOptions['roast'] => {
  try {
    const roast = parseAlog(readText(path, 'SIM_REPLAY'));
    if (roast.timesSeconds.length === 0) throw new ConfigError(`SIM_REPLAY ${path}: the recording has no samples`);
    const lastSeconds = roast.timesSeconds.at(-1) ?? 0;
    if (lastSeconds < fromSeconds) throw new ConfigError(`SIM_REPLAY_FROM: the recording ends at ${lastSeconds} s`);
    return roast;
  } catch (error) {
    if (error instanceof AlogError) throw new ConfigError(`SIM_REPLAY ${path}: ${error.message}`);
    throw error;
  }
};

/** A port in use is the user's problem, any other error is internal. */
const asConfigError = (error: unknown, map: MachineMap, port: number | undefined): unknown => {
  const code = codeOf(error);
  const wanted = port ?? ('port' in map.link ? map.link.port : demoPort);
  if (code === 'EADDRINUSE') return new ConfigError(`port ${wanted} is in use: set SIM_PORT to a free one`);
  if (code === 'EACCES') return new ConfigError(`port ${wanted} needs root: set SIM_PORT to one above 1023`);
  if ('path' in map.link) return new ConfigError(`serial line ${map.link.path}: ${messageOf(error)}`);
  return error;
};
