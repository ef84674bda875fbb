import { setTimeout as sleep } from 'node:timers/promises';
import { readBoardEnvironment, usualConfigDir } from '../board-files.ts';
import { agentPlace } from '../config.ts';
import { findRunningAgent, type RunningAgent } from '../running-agent.ts';
import { concernsOf } from '../status-page/concerns.ts';
import { showsRoast } from '../service/health-sign.ts';
import { programOf } from '../status-page/programs.ts';
import { paceOf, spanOf } from '../status-page/status-page.ts';
import type { BoardStatus } from '../status-page/board-status.ts';

const placeOf = (configDir: string) => agentPlace(environmentOf(configDir));

/** The address of the agent's page is not secret: without access to `agent.env` the default one is used. */
const environmentOf = (configDir: string): NodeJS.ProcessEnv => {
  try {
    return readBoardEnvironment(configDir);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return process.env;
    throw error;
  }
};

const lines = (board: BoardStatus): string[] => {
  const { machine, uplink, roast, journal, map } = board;
  const program = programOf(board);
  const values = board.values.map(({ channel, value, unit }) => `${channel} ${value ?? '--'} ${unit}`.trim());
  return [
    `machine   ${board.machine_serial}${map === null ? '' : `, ${machine.state} at ${machine.line}`}${machine.detail === null ? '' : ` (${machine.detail})`}`,
    program !== undefined
      ? `${program.name.toLowerCase().padEnd(9)} ${program.summary}`
      : `map       ${map === null ? 'none yet' : `${map.maker} ${map.model} (${map.id}, revision ${map.rev})`}`,
    `values    ${values.length === 0 ? 'none yet' : values.join(', ')}`,
    `roast     ${roast.running === null ? 'none now' : `running for ${spanOf(roast.running.seconds * 1000)}`}`,
    `roastery  ${board.api_url}, ${uplink.connected ? 'connected' : 'not connected'} for ${spanOf(board.now - uplink.since)}`,
    ...(uplink.brokers.length < 2
      ? []
      : [
          `broker    ${uplink.broker ?? 'none yet'}; others: ${uplink.brokers.filter((other) => other !== uplink.broker).join(', ')}`,
        ]),
    `journal   ${journal.entries_waiting} entries not confirmed yet${paceOf(journal.send_every_seconds)}`,
    `agent     ${board.agent_version}, running for ${spanOf(board.now - board.started_at)}`,
    ...concernsOf(board).flatMap(({ says, todo }) => ['', `! ${says}`, `  → ${todo}`]),
  ];
};

const withoutStatus = (agent: Exclude<RunningAgent, { kind: 'seen' }>): string =>
  agent.kind === 'none'
    ? 'The agent is not running. Start it: sudo systemctl restart roastery-agent. To find out why: sudo device-agent doctor\n'
    : agent.kind === 'unknown'
      ? 'The status page does not answer. To see whether the agent is running: sudo device-agent status\n'
      : `The agent is running (process ${agent.pid}), but ${pageTexts[agent.page]}\n`;

const pageTexts = {
  off: 'its status page is switched off (STATUS_PORT=off, or in the portal).',
  starting: 'it has just started. Try again in a few seconds.',
  silent: 'its status page does not answer: sudo device-agent doctor',
} as const;

/** Prints the state of the running agent. Returns the exit code: 0 no problem, 1 a problem, or no agent. */
export const status = async (configDir: string = usualConfigDir, asJson = false): Promise<number> => {
  const agent = await findRunningAgent(placeOf(configDir));
  if (agent.kind !== 'seen') {
    process.stderr.write(withoutStatus(agent));
    return 1;
  }
  process.stdout.write(asJson ? `${JSON.stringify(agent.status)}\n` : `${lines(agent.status).join('\n')}\n`);
  return concernsOf(agent.status).some(({ urgency }) => urgency === 'trouble') ? 1 : 0;
};

const pollMs = 2000;
/** No roast lasts this long; the update continues then, and the agent resumes its roast after the restart. */
const longestMs = 2 * 3_600_000;

/** Waits until no roast runs: an update must not interrupt one. Returns the exit code, always 0. */
export const awaitIdle = async (configDir: string = usualConfigDir): Promise<number> => {
  const place = placeOf(configDir);
  const until = performance.now() + longestMs;
  while (performance.now() < until) {
    const agent = await findRunningAgent(place);
    if (agent.kind === 'none') break;
    const roasts = agent.kind === 'seen' ? agent.status.roast.running !== null : await showsRoast(process.env);
    if (!roasts) break;
    await sleep(pollMs);
  }
  return 0;
};
