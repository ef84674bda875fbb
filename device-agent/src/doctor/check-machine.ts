import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import type { Link } from '@roastery/contract/machine-map';
import { isMissing } from '../atomic-file.ts';
import { describeLine } from '../board-report.ts';
import { programIn } from '../config.ts';
import { slowLineRemedy, slowReadingSentence } from '../core/line-pace.ts';
import { codeOf } from '@roastery/runtime/system-errors';
import { waitsForLateAnswer } from '../machine/numberless-requests.ts';
import { lateAnswer } from './machine-reading.ts';
import { programOf, type Program } from '../status-page/programs.ts';
import { good, notConfigured, skipped, trouble, warning, withoutPage, type Check, type Verdict } from './check.ts';

const serialNames = /^tty(USB|ACM|AMA)\d+$/;

/** Names that stay the same when an adapter is plugged in elsewhere or after another one. */
const stableNames = '/dev/serial/by-id';

const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};
const serialPorts = async (): Promise<string[]> => {
  const stable = (await namesIn(stableNames)).map((name) => `${stableNames}/${name}`);
  if (stable.length > 0) return stable;
  return (await namesIn('/dev')).filter((name) => serialNames.test(name)).map((name) => `/dev/${name}`);
};

const aboutSerialPort = async (path: string): Promise<Verdict | undefined> => {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    if (isMissing(error)) {
      const others = await serialPorts();
      return trouble(
        `There is no serial port ${path}.`,
        others.length === 0
          ? 'Plug in the serial adapter; it appears as /dev/ttyUSB0 or similar.'
          : `Plug in the serial adapter, or use the available one in the machine map: ${others.join(', ')}`,
      );
    }
    if (codeOf(error) !== 'EACCES') throw error;
    return trouble(
      `This user has no access to the serial port ${path}.`,
      'Run as root (sudo device-agent doctor); the agent itself needs the group dialout: sudo usermod -aG dialout roastery-agent',
    );
  }
};

/** Why a machine gives no readings, by the error of its line. */
const aboutSilence = (link: Link, reason: string): Verdict => {
  const where = describeLine(link);
  const lateMs = lateAnswer.exec(reason)?.[1];
  if (lateMs !== undefined)
    return trouble(
      `The machine answers too late at ${where}: after ${lateMs} ms. Late answers are not used.`,
      `Raise timeoutMs in the machine map above ${lateMs}. If a gateway is in between, check whether another master uses it.`,
    );
  if (/exception/.test(reason))
    return trouble(
      `The machine answers at ${where}, but rejects every address of the map: ${reason}.`,
      'Check whether the map is for this model, or choose another in the portal.',
    );
  if (reason === waitsForLateAnswer)
    return trouble(
      `Answers of the machine at ${where} were lost. The agent waits until none of them can arrive late, then continues.`,
      'If this continues, check connectors, shield and termination of the line, and whether another master uses it.',
    );
  const says = `The machine does not answer at ${where}: ${reason}.`;
  if (!('host' in link)) {
    if (/lock|busy|temporarily unavailable/i.test(reason))
      return trouble(says, `Another program uses the port. Find it with sudo fuser -v ${link.path} and stop it.`);
    return trouble(
      says,
      `Check that the machine is on, that A and B are not swapped, and that speed and parity of the map (${link.baud} baud, ${link.parity}) match the machine.`,
    );
  }
  if (/ECONNREFUSED/.test(reason))
    return trouble(
      says,
      `A device is at ${link.host}, but nothing listens on port ${link.port}. Enable Modbus TCP on the machine, or correct the port in the map (usually 502).`,
    );
  if (/EHOSTUNREACH|ENETUNREACH|did not answer/.test(reason))
    return trouble(
      says,
      `Check power and network cable of the machine, and whether it has the address ${link.host}: ping ${link.host}`,
    );
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return trouble(says, `The host name ${link.host} is unknown. Use the machine's IP address in the map.`);
  return trouble(
    says,
    `The connection works, but the unit does not answer. Check the unit number in the map, and whether another master reads the machine.`,
  );
};

/** The state of an agent that reads a program, from its page. */
const aboutProgram = ({ name, summary, concerns: [concern] }: Program): Verdict => {
  if (concern === undefined) return good(`${name}: ${summary}`);
  return (concern.urgency === 'trouble' ? trouble : warning)(concern.says, concern.todo);
};

const noPlace = 'without a machine map its address is unknown';

/** Checks that the machine answers. A running agent is queried, because a line has only one master. */
export const checkMachine: Check = {
  name: 'machine',
  async run(board) {
    if (!board.config) return notConfigured;
    const agent = await board.agent();
    const found = await board.map();
    if (agent.kind === 'unseen' || agent.kind === 'unknown')
      return skipped(`the agent uses the line, and ${withoutPage(agent)}`);
    if (agent.kind === 'seen') {
      const { machine, map } = agent.status;
      const { state, detail, line, reached_hz: reachedHz } = machine;
      const program = programOf(agent.status);
      if (program !== undefined) return aboutProgram(program);
      if (map === null) return skipped(noPlace);
      if (state === 'ok' && reachedHz !== null) return warning(slowReadingSentence(reachedHz, map.hz), slowLineRemedy);
      if (state === 'ok') return good(`answers the agent at ${line}`);
      if (state === 'starting') return skipped(`the agent is connecting at ${line}: try again in a few seconds`);
      if (found.kind !== 'found')
        return trouble(
          `The machine does not answer at ${line}: ${detail ?? ''}.`,
          'Check that the machine is on and its cable is plugged in at both ends.',
        );
      const port = 'path' in found.map.link ? await aboutSerialPort(found.map.link.path) : undefined;
      return port ?? aboutSilence(found.map.link, detail ?? 'no answer');
    }
    const program = programIn(board.config);
    if (program !== undefined) return skipped(`${program} is read by the agent, which is not running`);
    if (found.kind !== 'found') return skipped(noPlace);
    const { link } = found.map;
    const port = 'path' in link ? await aboutSerialPort(link.path) : undefined;
    if (port) return port;
    const reading = await board.reading();
    if (reading?.kind === 'silent') return aboutSilence(link, reading.reason);
    return good(`answers at ${describeLine(link)} within ${reading?.tookMs ?? 0} ms`);
  },
};
