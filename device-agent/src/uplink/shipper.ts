import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { maxBatchEntries, type Ack } from '@roastery/contract/mqtt';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { cutBatch } from '../core/batch.ts';
import { RangeSet } from '../core/ranges.ts';
import { createSendPlan } from '../core/send-plan.ts';
import type { WallClock } from '../core/wall-clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { Session } from './session.ts';

const gzipped = promisify(gzip);
/** Backlog below this is not worth compressing. */
const gzipFromBytes = 2048;
/** A server that takes longer to commit has a problem; duplicates do no harm. */
const resendMs = 10_000;
/** Entries that the disk can't read now are tried again after this long. */
const rereadMs = 10_000;
const limits = { maxEntries: maxBatchEntries, window: 32, reserved: 4, resendMs };
/** Batches in flight of all earlier streams together: history never delays current entries. */
const earlierWindow = 8;
/** How long a stream of this credential waits for the statement of its owner; earlier servers never send one. */
const statementMs = 10_000;

type Plan = ReturnType<typeof createSendPlan>;
interface Sending {
  readonly plan: Plan;
  /** Ranges that the disk could not read, skipped for a while. */
  unread: { readonly ranges: RangeSet; readonly until: number } | undefined;
}

export interface ShipperParts {
  readonly journal: Journal;
  readonly clock: WallClock;
  readonly topic: string;
  readonly log: Logger;
  readonly time: Pick<Clock, 'monotonic'>;
}

/** Sends the journal, batch by batch, until the server has acknowledged it: the current stream, then earlier ones. */
export const createShipper = ({ journal, clock, topic, log, time }: ShipperParts) => {
  const streams = new Map<string, Sending>();
  const sendingOf = (epoch: string): Sending => {
    const known = streams.get(epoch);
    if (known) return known;
    const window = epoch === journal.epoch ? limits.window : earlierWindow;
    const sending = { plan: createSendPlan({ ...limits, window }), unread: undefined };
    streams.set(epoch, sending);
    return sending;
  };
  for (const epoch of journal.epochs()) sendingOf(epoch).plan.offer(journal.waiting(epoch));
  journal.listen({
    durable: (ranges, epoch) => sendingOf(epoch).plan.offer(ranges),
    gone: (from, to, epoch) => streams.get(epoch)?.plan.forget(from, to),
  });
  let shipping: Promise<void> | undefined;
  /** Streams that wait for the server's statement in this session, and until when. */
  const unstated = new Set<string>();
  let statedBy = 0;

  /** Sends the next batch of a stream; false when it has none now. */
  const sendNext = async (session: Session, epoch: string, sending: Sending): Promise<boolean> => {
    const { plan } = sending;
    const next = plan.next();
    if (!next) return false;
    const leaveOut = (from: number, to: number, error: unknown): void => {
      plan.forget(from, to);
      const ranges = sending.unread?.ranges ?? new RangeSet();
      ranges.add(from, to);
      sending.unread = { ranges, until: sending.unread?.until ?? time.monotonic() + rereadMs };
      log.warn({ epoch, from, to, reason: String(error) }, 'journal: entries unreadable');
    };
    let part: Awaited<ReturnType<Journal['readPart']>>;
    try {
      part = await journal.readPart(next.from, next.to, epoch);
    } catch (error) {
      // The segment ends within the range: other segments follow later.
      leaveOut(next.from, journal.segmentEnd(next.from, next.to, epoch), error);
      return true;
    }
    const cut = cutBatch(part.entries, epoch, clock, journal.continues(epoch));
    if (!cut) {
      // Only the entries that were read are known.
      plan.forget(next.from, part.to);
      return true;
    }
    // Entries before the first readable one are lost; entries after the batch wait for their turn.
    plan.forget(next.from, cut.from - 1);
    const text = JSON.stringify(cut.batch);
    const payload = next.backlog && text.length > gzipFromBytes ? await gzipped(text) : text;
    // Withdrawn while it was compressed: its stream was sealed.
    if (!journal.epochs().includes(epoch)) return false;
    plan.sent(cut.from, cut.to, time.monotonic());
    session.ship(topic, payload);
    return true;
  };

  const sendWaiting = async (session: Session): Promise<void> => {
    const now = time.monotonic();
    for (const { plan, ...sending } of streams.values()) {
      const overdue = plan.takeOverdue(now);
      if (overdue > 0) log.debug({ overdue }, 'uplink: batches resent');
      if (sending.unread && now >= sending.unread.until) plan.offer(sending.unread.ranges.ranges());
    }
    for (const sending of streams.values())
      if (sending.unread && now >= sending.unread.until) sending.unread = undefined;
    const epochs = journal.epochs();
    for (const epoch of streams.keys()) if (!epochs.includes(epoch)) streams.delete(epoch);
    for (const epoch of epochs) {
      if (unstated.has(epoch) && now < statedBy) continue;
      const sending = sendingOf(epoch);
      while (session.isOpen() && (await sendNext(session, epoch, sending)));
    }
  };

  /** Sends entries that are synced already, as far as the window allows. */
  const ship = (session: Session): Promise<void> => {
    shipping ??= sendWaiting(session)
      .catch((error: unknown) => log.error({ err: error }, 'uplink: shipping failed'))
      .finally(() => (shipping = undefined));
    return shipping;
  };

  return {
    ship,
    /**
     * Syncs first: nothing leaves the board that a power cut could still remove, because its numbers would be used
     * twice.
     */
    async shipNewest(session: Session): Promise<void> {
      await journal.flush();
      await shipping;
      await ship(session);
    },
    /** A session begins: batches of the previous one are no longer in flight. */
    connected(isOneOfSeveral: boolean): void {
      for (const { plan } of streams.values()) plan.connected(isOneOfSeveral);
    },
    /** A connection begins: streams with an owner wait until the server has stated theirs. */
    connecting(): void {
      unstated.clear();
      for (const epoch of journal.epochs()) if (journal.ownerOf(epoch) !== undefined) unstated.add(epoch);
      statedBy = time.monotonic() + statementMs;
    },
    acknowledged(ack: Ack): void {
      if (ack.through !== undefined) unstated.delete(ack.epoch);
      streams.get(ack.epoch)?.plan.acknowledged(ack.ranges);
      journal.hear(ack);
    },
    /** When the oldest batch was sent that waits for its acknowledgement; infinite where none does. */
    oldestSentAt: (): number => Math.min(...Array.from(streams.values(), ({ plan }) => plan.oldestSentAt())),
    entriesWaiting: (): number =>
      Array.from(streams.values(), ({ plan, unread }) => plan.outstanding() + (unread?.ranges.count() ?? 0)).reduce(
        (sum, count) => sum + count,
        0,
      ),
  };
};
export type Shipper = ReturnType<typeof createShipper>;
