import type { BodyOf } from '@roastery/contract/endpoint';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { getRoast, updateRoast, type Roast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { simulateRoast, type SimulatedRoast, type SimulateRoastOptions } from '@roastery/simulator/simulate-roast';
import type { Stack } from '@roastery/stack/stack';
import { createJournalBoard, type JournalBoard } from '@roastery/testing/journal-board';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { shipJournal } from '@roastery/testing/ship-journal';
import { until } from '@roastery/testing/until';

export interface PastRoast extends Partial<SimulateRoastOptions> {
  /** When its beans were charged; default an hour ago. */
  charged?: Date;
  /** When the machine gave no answer: seconds since charge, from and to. */
  silences?: readonly (readonly [from: number, to: number])[];
  /** Fields that a person entered afterwards. */
  details?: BodyOf<typeof updateRoast>;
}

/** Milliseconds after the boot of the board at which the record begins. */
const bootedBefore = 60_000;

/**
 * A finished roast: computed by the thermal model, shipped by a board through the broker, and described by its owner.
 * Returns it as the api has it.
 */
export const bringPastRoast = async (
  stack: Stack,
  owner: RoasteryClient,
  machine: RegisteredMachine,
  { charged = new Date(Date.now() - 3_600_000), silences = [], details, ...options }: PastRoast = {},
): Promise<Roast> => {
  const simulated = simulateRoast({ seed: 1, capacityKg: machine.max_capacity_kg, ...options });
  const id = uuidV7(charged.getTime());
  const board = writeJournal(simulated, id, charged, silences);
  const credentials = { serial: machine.serial_number, token: machine.auth_token };
  const batches = board.batches(() => 600);
  await shipJournal(stack.mqttUrl, credentials, batches);
  const stored = await until('the roast to be stored', async () => {
    const roast = await owner.call(getRoast, { params: { id } });
    return roast.status === 'completed' && roast;
  });
  const batch = details?.batch_size_kg ?? simulated.greenKg;
  const yieldShare = simulated.roastedKg / simulated.greenKg;
  const body = { batch_size_kg: batch, end_weight_kg: batch * yieldShare, ...details };
  return owner.call(updateRoast, { params: { id: stored.id }, body });
};

const monoOf = (seconds: number): number => bootedBefore + Math.round(seconds * 1000);

/** The same entries that a board would have written, the marks from the machine. */
const writeJournal = (
  roast: SimulatedRoast,
  id: string,
  charged: Date,
  silences: NonNullable<PastRoast['silences']>,
): JournalBoard => {
  const chargeSeconds = roast.marks.find(({ kind }) => kind === 'charge')?.timeSeconds ?? 0;
  const board = createJournalBoard({
    channels: roast.channels,
    wallOffsetMs: charged.getTime() - monoOf(chargeSeconds),
  });
  const sequence: number[] = [];
  for (const [index, seconds] of roast.timesSeconds.entries()) {
    const isSilent = silences.some(([from, to]) => seconds - chargeSeconds > from && seconds - chargeSeconds < to);
    sequence.push(
      isSilent
        ? board.length - 1
        : board.sample(monoOf(seconds), ...roast.channels.map((name) => roast.columns[name][index] ?? null)),
    );
  }
  const end = monoOf(roast.timesSeconds.at(-1) ?? 0);
  board.event(end, { type: 'roast', roast_id: id, state: 'in_progress' });
  for (const mark of roast.marks) {
    board.event(end, {
      type: 'mark',
      roast_id: id,
      kind: mark.kind,
      at_seq: sequence[mark.index] ?? null,
      at_mono: monoOf(mark.timeSeconds),
      temp: mark.tempC,
      origin: mark.kind === 'turning_point' || mark.kind === 'dry_end' ? 'detector' : 'machine',
      confidence: mark.kind === 'turning_point' || mark.kind === 'dry_end' ? 0.9 : 1,
      provisional: false,
    });
  }
  board.event(end, { type: 'roast', roast_id: id, state: 'completed' });
  return board;
};
