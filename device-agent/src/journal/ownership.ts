import type { Ack } from '@roastery/contract/mqtt';
import type { Stream } from './stream.ts';

/** What a stream's owner means for it: `serve` it, or keep it `sealed` until an administrator confirms. */
export type Verdict = 'serve' | 'sealed';

/**
 * Whether a stream belongs to whom the server speaks for. One that never heard of an owner belongs to the first one of whom
 * the server knows the stream, or of whom nothing was ever acknowledged to anybody else.
 */
export const judgeOwner = (stream: Pick<Stream, 'owner' | 'isSealed' | 'acked'>, ack: Ack): Verdict => {
  if (ack.owner === undefined) return stream.isSealed() ? 'sealed' : 'serve';
  if (ack.restore === true) return 'serve';
  const owner = stream.owner();
  if (owner !== undefined) return owner === ack.owner ? 'serve' : 'sealed';
  if (stream.isSealed()) return 'sealed';
  return ack.ranges.length > 0 || !stream.acked.first() ? 'serve' : 'sealed';
};
