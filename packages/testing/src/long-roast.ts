import type { JournalBatch } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import { modelChannels } from '@roastery/simulator/model/machine-readings';
import { createJournalBoard } from './journal-board.ts';

const hz = 4;

/** Temperatures as in a register of 0.1 °C, with the noise of a thermocouple; the same in every run. */
const createNoise = () => {
  let state = 7;
  return (amplitude: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 31 - 1) * amplitude;
  };
};
const tenth = (value: number): number => Math.round(value * 10) / 10;

/**
 * A roast with this many samples at 4 Hz with eight channels, as the batches of a board that ended it a minute, or this
 * many more minutes, ago.
 */
export const longRoast = (samples: number, minutesAgo = 0): { roastId: string; batches: JournalBatch[] } => {
  const lastsMs = (samples * 1000) / hz;
  const board = createJournalBoard({
    channels: modelChannels,
    wallOffsetMs: Date.now() - lastsMs - 60_000 * (1 + minutesAgo),
  });
  const roastId = uuidV7();
  const noise = createNoise();
  const mark = (kind: 'charge' | 'drop', mono: number, seq: number) =>
    board.event(mono, {
      type: 'mark',
      roast_id: roastId,
      kind,
      at_seq: seq,
      at_mono: mono,
      temp: 180,
      origin: 'machine',
      confidence: 1,
      provisional: false,
    });
  board.event(0, { type: 'roast', roast_id: roastId, state: 'in_progress' });
  mark('charge', 0, 3);
  for (let n = 0; n < samples; n++) {
    const share = n / samples;
    const bean = 215 - 125 * Math.exp(-share * 2.6) + 110 * Math.exp(-share * 40);
    const burner = 320 + 90 * Math.sin(share * 9);
    board.sample(
      (n * 1000) / hz,
      tenth(bean + noise(0.15)),
      tenth(bean + 28 + 6 * Math.sin(share * 30) + noise(0.4)),
      tenth(burner + noise(1.5)),
      tenth(burner - 25 + noise(1.5)),
      tenth(Math.max(0, 90 - Math.floor(share * 12) * 6)),
      tenth(30 + Math.floor(share * 8) * 7),
      tenth(60 + Math.floor(share * 3) * 5),
      tenth(-40 + noise(4)),
    );
  }
  const end = ((samples - 1) * 1000) / hz;
  mark('drop', end, board.length - 1);
  board.event(end, { type: 'roast', roast_id: roastId, state: 'completed' });
  return { roastId, batches: board.batches(() => 600) };
};
