import { exchangedChannel } from '@roastery/contract/channels';
import type { RegisteredMachine } from '@roastery/contract/machines';
import type { MarkKind } from '@roastery/roasting/marks';
import { uuidV7 } from '@roastery/runtime/uuid';
import { simulateRoast } from '@roastery/simulator/simulate-roast';
import type { Stack } from '@roastery/stack/stack';
import { createJournalBoard, type JournalBoard } from '@roastery/testing/journal-board';
import { shipJournal } from '@roastery/testing/ship-journal';

/** What the board reported about a roast: all of it, nothing, a withdrawn charge, or two roasts instead of one. */
export type Told = 'whole' | 'missed' | 'lost' | 'falsely';

export interface RecordedRoast {
  readonly told: Told;
  /** The board's own ids: of a falsely reported roast, the second one is of its cooling drum. */
  readonly ids: readonly string[];
  readonly chargedAt: Date;
  readonly droppedAt: Date;
}

const leadSeconds = 120;
const tailSeconds = 120;
/** The machine is switched off between two roasts. */
const pauseSeconds = 300;
const bootedBeforeMs = 60_000;

/**
 * A morning at a machine: one roast after the other in one recording, with the board's reports. The last reading is a
 * few minutes old.
 */
export const recordDay = async (
  stack: Stack,
  machine: RegisteredMachine,
  morning: readonly Told[],
  /** A map in which bean and exhaust are exchanged. */
  exchangedBy?: { readonly id: string; readonly rev: number },
): Promise<RecordedRoast[]> => {
  const roasts = morning.map((told, seed) => ({
    told,
    simulated: simulateRoast({ seed: seed + 11, capacityKg: machine.max_capacity_kg, leadSeconds, tailSeconds }),
  }));
  const lengthOf = ({ simulated }: (typeof roasts)[number]) => (simulated.timesSeconds.at(-1) ?? 0) + pauseSeconds;
  const wholeMs = roasts.reduce((sum, roast) => sum + lengthOf(roast) * 1000, 0);
  const [channels] = roasts.map(({ simulated }) => simulated.channels);
  const wallOffsetMs = Math.floor((Date.now() - wholeMs) / 1000) * 1000 - bootedBeforeMs;
  const board = createJournalBoard({
    channels: exchangedBy === undefined ? (channels ?? []) : (channels ?? []).map(exchangedChannel),
    wallOffsetMs,
    ...(exchangedBy && { map: exchangedBy }),
  });
  const recorded: RecordedRoast[] = [];
  let startMs = bootedBeforeMs;
  for (const roast of roasts) {
    recorded.push(writeRoast(board, roast.told, roast.simulated, startMs, wallOffsetMs));
    startMs += lengthOf(roast) * 1000;
  }
  const credentials = { serial: machine.serial_number, token: machine.auth_token };
  await shipJournal(
    stack.mqttUrl,
    credentials,
    board.batches(() => 600),
  );
  return recorded;
};

const writeRoast = (
  board: JournalBoard,
  told: Told,
  simulated: ReturnType<typeof simulateRoast>,
  startMs: number,
  wallOffsetMs: number,
): RecordedRoast => {
  const monoOf = (seconds: number): number => startMs + Math.round(seconds * 1000);
  const sequence = simulated.timesSeconds.map((seconds, index) =>
    board.sample(monoOf(seconds), ...simulated.channels.map((name) => simulated.columns[name][index] ?? null)),
  );
  const secondsOf = (kind: MarkKind): number => simulated.marks.find((mark) => mark.kind === kind)?.timeSeconds ?? 0;
  const [charge, drop] = [secondsOf('charge'), secondsOf('drop')];
  const end = monoOf(simulated.timesSeconds.at(-1) ?? 0);
  const id = uuidV7(wallOffsetMs + monoOf(charge));
  const say = (roastId: string, kind: MarkKind, seconds: number | null): void => {
    const index = simulated.timesSeconds.findIndex((time) => seconds !== null && time >= seconds);
    board.event(end, {
      type: 'mark',
      roast_id: roastId,
      kind,
      at_seq: seconds === null ? null : (sequence[index] ?? null),
      at_mono: seconds === null ? null : monoOf(seconds),
      temp: seconds === null ? null : (simulated.columns.bean_temp[index] ?? null),
      origin: 'detector',
      confidence: 0.9,
      provisional: false,
    });
  };
  const state = (roastId: string, said: 'in_progress' | 'completed' | 'aborted'): void =>
    void board.event(end, { type: 'roast', roast_id: roastId, state: said });
  const ids: string[] = [];
  if (told === 'whole' || told === 'falsely') {
    ids.push(id);
    state(id, 'in_progress');
    for (const mark of simulated.marks) say(id, mark.kind, mark.timeSeconds);
    state(id, 'completed');
  }
  if (told === 'lost') {
    ids.push(id);
    state(id, 'in_progress');
    say(id, 'charge', charge);
    say(id, 'charge', null);
    state(id, 'aborted');
  }
  if (told === 'falsely') {
    // The fall at the drop was detected as another charge.
    const second = uuidV7(wallOffsetMs + monoOf(drop + 20));
    ids.push(second);
    state(second, 'in_progress');
    say(second, 'charge', drop + 20);
    say(second, 'drop', drop + 80);
    state(second, 'completed');
  }
  return {
    told,
    ids,
    chargedAt: new Date(wallOffsetMs + monoOf(charge)),
    droppedAt: new Date(wallOffsetMs + monoOf(drop)),
  };
};
