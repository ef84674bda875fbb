import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { MachineMap } from '@roastery/contract/machine-map';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { PartRunner } from './part-runner.ts';
import { freePort } from './ports.ts';
import { agentEnvironment, type StackPlan } from './stack-environment.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** A simulated machine that is registered in the roastery. Seconds are the machine's, not the clock's. */
export interface MachineOptions {
  serial: string;
  /** Its token from the registration. */
  token: string;
  /** Seconds of roasting per second of the clock (default 1). */
  timeFactor?: number;
  /** The map of a machine other than the demo's; its link is replaced by the simulator's address. */
  map?: MachineMap;
  /** Readings a second of the clock, on the demo machine (default 4). */
  hz?: number;
  /** An Artisan file (.alog) to replay instead of the thermal model. */
  replay?: string;
  /** Seconds of the recording's own time to start at (default: its beginning). */
  replayFromSeconds?: number;
  /** Seconds of the recording's first sample before it plays (default 0). */
  replayLeadSeconds?: number;
  /** Whether the recording's charge, first crack and drop raise the map's event bits (default true). */
  replayEvents?: boolean;
  /** Where the thermal model begins (default preheat). */
  start?: 'cold' | 'preheat' | 'roasting';
  /** Whether it charges, or plays, automatically (default true); else waits for `order({ do: 'charge' })`. */
  isAutomatic?: boolean;
  /** Same seed, same roasts. */
  seed?: number;
  /** A file to which every change of the registers is appended, one JSON line each: the ground truth of the machine. */
  recordFile?: string;
  /** A file to which every answer of the machine is appended, one JSON line each: the ground truth of the reads. */
  answersFile?: string;
  firmwareVersion?: string;
  /** The agent's address of the broker, instead of the stack's own: a link that can be cut. */
  mqttUrl?: string;
  /** Added to the agent's environment, e.g. a clock that jumps. */
  agentEnvironment?: Record<string, string>;
  /** `NODE_OPTIONS` of the agent, for tests and benches: a clock that runs as fast as the machine's. */
  agentNodeOptions?: string;
}

export interface RunningMachine {
  simulator: SupervisedProcess;
  agent: SupervisedProcess;
  /** Where the simulator speaks Modbus TCP. */
  modbusPort: number;
  /** The agent's journal folder. */
  journalDir: string;
  /** Sends the simulator an order: `{ do: 'charge' }`, `{ timeFactor: 10 }`, `{ output: 'heat_power', percent: 20 }`. */
  order(order: object): void;
  /** The agent first, so that it can publish its offline status. */
  stop(graceMs?: number): Promise<void>;
}

/** As on a board (deploy/systemd/roastery-agent.service): a small young generation, otherwise loading the program alone takes 100 MB. */
const boardNodeFlags = ['--max-semi-space-size=1', '--optimize-for-size'];

/** Runs a simulated machine and its agent, as two processes. */
export async function startMachine(
  plan: StackPlan,
  runner: PartRunner,
  options: MachineOptions,
): Promise<RunningMachine> {
  const folder = path.join(plan.dataDir, 'machines', encodeURIComponent(options.serial));
  const journalDir = path.join(folder, 'journal');
  await mkdir(journalDir, { recursive: true });
  const modbusPort = await freePort();
  const mapFile = path.join(folder, 'machine-map.json');
  await writeFile(mapFile, `${JSON.stringify(mapAt(modbusPort, options), null, 2)}\n`);

  const names = { simulator: `simulator-${options.serial}`, agent: `agent-${options.serial}` };
  const simulator = runner.start({
    name: names.simulator,
    script: 'packages/simulator/dist/program/main.js',
    env: { ...simulatorEnvironment(options), SIM_MAP: mapFile, SIM_PORT: String(modbusPort), LOG_LEVEL: plan.logLevel },
    takesInput: true,
  });
  const agent = runner.start({
    name: names.agent,
    script: 'device-agent/dist/program/main.js',
    nodeArgs: boardNodeFlags,
    args: ['run'],
    env: {
      ...agentEnvironment(plan, {
        serial: options.serial,
        token: options.token,
        mapFile,
        journalDir,
        firmwareVersion: options.firmwareVersion ?? '1.0.0',
      }),
      ...(options.mqttUrl === undefined ? {} : { MQTT_URL: options.mqttUrl }),
      ...options.agentEnvironment,
      ...(options.agentNodeOptions === undefined ? {} : { NODE_OPTIONS: options.agentNodeOptions }),
    },
  });
  return {
    simulator,
    agent,
    modbusPort,
    journalDir,
    order: (order) => simulator.send(JSON.stringify(order)),
    stop: async (graceMs = 2_500) => {
      await runner.stop(names.agent, graceMs);
      await runner.stop(names.simulator, 500);
    },
  };
}

function mapAt(port: number, { map, hz }: MachineOptions): MachineMap {
  if (map !== undefined) return { ...map, link: { kind: 'tcp', host: '127.0.0.1', port } };
  return demoRoasterMap({ port, ...(hz === undefined ? {} : { hz }) });
}

function simulatorEnvironment(options: MachineOptions): Record<string, string> {
  const given = {
    TIME_FACTOR: options.timeFactor,
    SIM_REPLAY: options.replay,
    SIM_REPLAY_FROM: options.replayFromSeconds,
    SIM_REPLAY_LEAD: options.replayLeadSeconds,
    SIM_REPLAY_EVENTS: options.replayEvents,
    SIM_START: options.start,
    SIM_AUTO: options.isAutomatic,
    SIM_SEED: options.seed,
    SIM_RECORD: options.recordFile,
    SIM_ANSWERS: options.answersFile,
    SIM_CONTROL: 'stdin',
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
