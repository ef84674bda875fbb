import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { maxBatchEntries, type Ack } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import { cutBatch } from '../core/batch.ts';
import { createSendPlan } from '../core/send-plan.ts';
import type { WallClock } from '../core/wall-clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { Session } from './session.ts';

const gzipped = promisify(gzip);
/** Backlog below this is not worth compressing. */
const gzipFromBytes = 2048;
/** A server that takes longer to commit is in trouble; what it gets twice does no harm. */
const resendMs = 10_000;

/** Sends what the journal holds, batch by batch, until the server has acknowledged it. */
export const createShipper = (journal: Journal, clock: WallClock, topic: string, log: Logger) => {
  const plan = createSendPlan({ maxEntries: maxBatchEntries, window: 32, reserved: 4, resendMs });
  plan.offer(journal.waiting());
  journal.listen({ durable: (ranges) => plan.offer(ranges), gone: (from, to) => plan.forget(from, to) });
  let shipping: Promise<void> | undefined;

  const sendWaiting = async (session: Session): Promise<void> => {
    const overdue = plan.takeOverdue(performance.now());
    if (overdue > 0) log.debug({ overdue }, 'batches without an acknowledgement go out again');
    for (let next = plan.next(); next && session.isOpen(); next = plan.next()) {
      const entries = await journal.read(next.from, next.to);
      const cut = cutBatch(entries, journal.epoch, clock);
      if (!cut) {
        plan.forget(next.from, next.to);
        continue;
      }
      // What lies before the first readable entry is gone; what lies behind the batch waits for its turn.
      plan.forget(next.from, cut.from - 1);
      const text = JSON.stringify(cut.batch);
      const payload = next.backlog && text.length > gzipFromBytes ? await gzipped(text) : text;
      plan.sent(cut.from, cut.to, performance.now());
      session
        .publish(topic, payload)
        .catch((error: unknown) => log.debug({ reason: String(error) }, 'batch not delivered, it goes out again'));
    }
  };

  /** Sends what is synced already, as far as the window allows. */
  const ship = (session: Session): Promise<void> => {
    shipping ??= sendWaiting(session)
      .catch((error: unknown) => log.error({ err: error }, 'shipping the journal failed'))
      .finally(() => (shipping = undefined));
    return shipping;
  };

  return {
    ship,
    /** Syncs first: nothing leaves the board that a power cut could still take back, its numbers would be used twice. */
    async shipNewest(session: Session): Promise<void> {
      await journal.flush();
      await shipping;
      await ship(session);
    },
    /** A session begins: what was under way in the one before is not. */
    connected: (): void => plan.connected(),
    acknowledged(ack: Ack): void {
      if (ack.epoch !== journal.epoch) return;
      plan.acknowledged(ack.ranges);
      journal.acknowledge(ack.ranges);
    },
    entriesWaiting: (): number => plan.outstanding(),
  };
};
