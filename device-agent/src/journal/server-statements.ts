import type { Ack } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import type { Stream } from './stream.ts';
import type { Streams } from './streams.ts';

export interface ServerStatementParts {
  readonly log: Logger;
  readonly streams: Streams;
  /** These entries may be sent. */
  readonly durable: (stream: Stream, ranges: readonly SeqRange[]) => void;
  /** No entries of the stream may be sent any more. */
  readonly withdraw: (stream: Stream) => void;
  /** The server states another owner than the one the stream was recorded for. */
  readonly sealed: (stream: Stream, owner: string) => void;
}

/** The consequence of a stream's owner: `serve` it, or keep it `sealed` until an administrator confirms. */
export type Verdict = 'serve' | 'sealed';

/**
 * Whether a stream belongs to the owner that the server states. A stream without an owner belongs to the first owner of
 * whom the server knows the stream. A stream without any acknowledgement belongs to the first owner that is stated,
 * unless the board has been paired again since.
 */
export const judgeOwner = (stream: Pick<Stream, 'owner' | 'isSealed' | 'awaitsOwner' | 'acked'>, ack: Ack): Verdict => {
  if (ack.owner === undefined) return stream.isSealed() ? 'sealed' : 'serve';
  if (ack.restore === true) return 'serve';
  const owner = stream.owner;
  if (owner !== undefined) return owner === ack.owner ? 'serve' : 'sealed';
  if (ack.ranges.length > 0 && (stream.awaitsOwner() || !stream.isSealed())) return 'serve';
  return stream.isSealed() || stream.acked.first() ? 'sealed' : 'serve';
};

/** Applies acknowledgements and statements of the server to the streams of the journal. */
export const createServerStatements = ({ log, streams, durable, withdraw, sealed }: ServerStatementParts) => {
  const seal = (stream: Stream, owner: string | undefined): void => {
    const wasSealed = stream.isSealed();
    stream.seal(true);
    void stream.note();
    if (!wasSealed) {
      log.warn({ epoch: stream.epoch }, 'journal: stream sealed for another owner');
      withdraw(stream);
    }
    if (owner !== undefined) sealed(stream, owner);
  };

  /** Entries that the server no longer holds count as never acknowledged; those that are not here either are lost. */
  const askedAgain = (stream: Stream, ranges: readonly SeqRange[], through: number): void => {
    const missing = new RangeSet(stream.acked.within(0, through));
    for (const [from, to] of ranges) missing.remove(from, to);
    if (!missing.first()) return;
    const held = stream.held();
    const lost = new RangeSet();
    const found = new RangeSet();
    for (const [from, to] of missing.ranges()) {
      stream.acked.remove(from, to);
      lost.add(from, to);
      for (const part of held.within(from, to)) {
        found.add(...part);
        lost.remove(...part);
      }
    }
    log.info({ epoch: stream.epoch, found: found.ranges(), lost: lost.ranges() }, 'journal: server requests history');
    streams.lost(stream, lost.ranges(), 'cap_reached');
    durable(stream, found.ranges());
  };

  return {
    hear(ack: Ack): void {
      const stream = streams.find(ack.epoch);
      if (!stream) return;
      // Only a statement of its owner decides whether history of an earlier pairing may be sent.
      if (ack.owner === undefined && stream.awaitsOwner()) return;
      if (judgeOwner(stream, ack) === 'sealed') return seal(stream, ack.owner);
      const wasSealed = stream.isSealed();
      if (ack.owner !== undefined && (wasSealed || stream.owner !== ack.owner)) {
        stream.owner = ack.owner;
        stream.seal(false);
        void stream.note();
      }
      streams.acknowledge(stream, ack.ranges);
      if (ack.through !== undefined) {
        askedAgain(stream, ack.ranges, ack.through);
        streams.explain(stream, ack.through);
      }
      if (wasSealed) durable(stream, stream.waiting());
    },
  };
};
export type ServerStatements = ReturnType<typeof createServerStatements>;
