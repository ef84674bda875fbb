import { topicOf, type Ack } from '@roastery/contract/mqtt';
import type { Acknowledgement } from './commit-messages.ts';
import type { SeqRange, SeqRanges } from './seq-ranges.ts';

/** The contract's limit of ranges in one message. */
const maxRanges = 1000;
/** A stream in good order has a handful of ranges. With more holes than this, only what a commit touched is said. */
const fewRanges = 50;

const touches = (range: SeqRange, parts: readonly SeqRange[]): boolean =>
  parts.some((part) => part.start < range.end && part.end > range.start);

/** Messages for a board, saying what of its stream may leave its disk: all of it where that is short, which also repairs lost acknowledgements. */
export const ackMessages = ({
  serialNumber,
  epoch,
  ranges,
  covered,
}: Acknowledgement): { topic: string; payload: string }[] => {
  const said: SeqRanges = ranges.length <= fewRanges ? ranges : ranges.filter((range) => touches(range, covered));
  const messages: { topic: string; payload: string }[] = [];
  for (let from = 0; from < said.length; from += maxRanges) {
    const part = said.slice(from, from + maxRanges);
    const ack: Ack = { v: 1, epoch, ranges: part.map(({ start, end }) => [start, end - 1]) };
    messages.push({ topic: topicOf(serialNumber, 'ack'), payload: JSON.stringify(ack) });
  }
  return messages;
};
