import { realClock, type Clock } from '@roastery/runtime/clock';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { markEvent } from './ingest-fixture.ts';
import { connectBoard } from './whole-api.ts';

/** A board whose clock equals the api's. Its machine has been on for a minute. */
export const openLiveBoard = async (
  brokerUrl: string,
  serial: string,
  { clock = realClock, startedAgoMs = 60_000 }: { clock?: Pick<Clock, 'now'>; startedAgoMs?: number } = {},
) => {
  const wallOffsetMs = clock.now() - startedAgoMs;
  const board = createJournalBoard({ wallOffsetMs, channels: ['bean_temp', 'exhaust_temp'] });
  const wire = await connectBoard(brokerUrl, serial);
  const now = () => clock.now() - wallOffsetMs;
  let sent = 0;
  const send = async (): Promise<void> => {
    for (const batch of board.batches(() => 100, sent)) await wire.publish(batch);
    sent = board.length;
  };
  return {
    board,
    send,
    /** Monotonic ms of the present. */
    now,
    isStored: () => wire.hasAck(board.epoch, board.length - 1),
    /** How many acknowledgements of the last entry have arrived: each instance that receives it sends one. */
    acknowledgements: () => wire.ackCount(board.epoch, board.length - 1),
    /** Samples once a second between two moments, as functions of the seconds since the first. */
    sample(fromMs: number, toMs: number, bean: (second: number) => number, exhaust: (second: number) => number) {
      for (let mono = fromMs; mono < toMs; mono += 1000) {
        const second = (mono - fromMs) / 1000;
        board.sample(mono, bean(second), exhaust(second));
      }
    },
    /** The first sample, this many seconds ago, is the charge of a roast. Returns its monotonic ms. */
    chargeAgo(roastId: string, seconds: number): number {
      const mono = now() - seconds * 1000;
      const seq = board.sample(mono, 200, 210);
      board.event(mono, { type: 'roast', roast_id: roastId, state: 'in_progress' });
      board.event(mono, markEvent(roastId, 'charge', { seq, mono }, 200));
      return mono;
    },
    end(roastId: string): void {
      const mono = board.entries().at(-1)?.mono ?? 0;
      board.event(mono, markEvent(roastId, 'drop', { seq: board.length - 1, mono }, 210));
      board.event(mono, { type: 'roast', roast_id: roastId, state: 'completed' });
    },
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
};
