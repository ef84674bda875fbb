import { isAlarmShown } from '@roastery/contract/alarms';
import type { MachineEvent } from '@roastery/contract/live';
import type { WallEvent } from '@roastery/contract/wall';
import { sseFrame } from '../http/sse-stream.ts';
import type { MachineConnection } from '../identity/machines.ts';
import type { Backlog } from './backlog.ts';

/** The past part of a wall's small curve. */
const minStepMs = 1000;
const bean = 'bean_temp';

const frame = (event: WallEvent): Uint8Array => sseFrame(event.type, event);

/**
 * The newest roast of the machine on the server, ms since the board's boot: while it runs its charge, else its end.
 */
export interface KnownRoast {
  readonly chargeMono: number | null;
  readonly endedMono: number | null;
}

/** The connection of a machine, with whether it answers its board. */
export const wallConnection = ({ connection, last_seen_at, status }: MachineConnection) => ({
  connection,
  last_seen_at,
  is_silent: connection === 'online' && status?.machine_link === 'failing',
});

/** The wall's form of a machine's event; null for an event that the wall does not show. */
export const wallFrame = (
  machineId: string,
  event: MachineEvent,
  { chargeMono, endedMono }: KnownRoast,
): Uint8Array | null => {
  const machine = { machine_id: machineId };
  if (event.type === 'reading') {
    const { mono, values, roast } = event.reading;
    // A board does not know of a drop by hand: its roast may be over.
    const isOver = endedMono !== null && (roast?.charge_mono ?? 0) <= endedMono;
    const ofBoard = roast?.state === 'in_progress' && !isOver ? roast.charge_mono : null;
    // The server's charge counts: a person may have set or moved it, which the board does not know.
    return frame({
      type: 'reading',
      ...machine,
      mono,
      bean_temp: values[bean] ?? null,
      charge_mono: chargeMono ?? ofBoard,
    });
  }
  if (event.type === 'status') {
    return frame({ type: 'status', ...machine, ...wallConnection(event) });
  }
  if (event.type === 'alarms') {
    const shown = event.alarms.filter(isAlarmShown).reverse();
    const alarms = shown.map(({ id, kind, channel, message, colour, raised_at }) => ({
      id,
      kind,
      channel,
      message,
      colour,
      raised_at,
    }));
    return frame({ type: 'alarms', ...machine, alarms });
  }
  if (event.type !== 'roast') return null;
  const isRunning = event.roast.status === 'in_progress';
  return frame({ type: 'changed', ...machine, charge_mono: isRunning ? event.charge_mono : null });
};

/** The first two events of a machine: its connection, and the curve so far. */
export const wallBacklogFrames = (
  machineId: string,
  connection: MachineConnection,
  { samples, chargeMono, lastAtMs }: Backlog,
  nowMs: number,
): Uint8Array[] => {
  const mono: number[] = [];
  const temps: (number | null)[] = [];
  for (const stretch of samples) {
    const column = stretch.channels[bean] ?? [];
    for (const [index, at] of stretch.mono.entries()) {
      if (at - (mono.at(-1) ?? Number.NEGATIVE_INFINITY) < minStepMs) continue;
      mono.push(at);
      temps.push(column[index] ?? null);
    }
  }
  const machine = { machine_id: machineId };
  const age_ms = lastAtMs === null ? null : Math.max(0, nowMs - lastAtMs);
  return [
    frame({ type: 'hello', ...machine, ...wallConnection(connection) }),
    frame({ type: 'curve', ...machine, mono, bean_temp: temps, charge_mono: chargeMono, age_ms }),
  ];
};
