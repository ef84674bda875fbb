import type { MarkKind } from '@roastery/roasting/marks';
import { cutName } from './head-vocabulary.ts';

const plainWords = (text: string): string =>
  cutName(text)
    .replaceAll(/[([].*?[)\]]/g, ' ')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const markNames: Record<MarkKind, readonly string[]> = {
  charge: ['charge', 'start', 'beans in'],
  turning_point: ['tp', 'turning point', 'turn'],
  dry_end: ['dry end', 'drye', 'dry', 'yellow', 'yellowing', 'color change', 'colour change'],
  first_crack: ['fcs', 'fc', 'first crack', 'firstcrack', '1st crack', 'first crack start', '1c', 'fc start'],
  first_crack_end: ['fce', 'first crack end', '1st crack end', 'fc end'],
  second_crack: ['scs', 'sc', 'second crack', 'secondcrack', '2nd crack', 'second crack start', '2c', 'sc start'],
  second_crack_end: ['sce', 'second crack end', '2nd crack end', 'sc end'],
  drop: ['drop', 'end', 'beans out', 'dump'],
  cool_end: ['cool', 'cool end', 'coole', 'cool down end'],
};

/** The mark for a word, as written by Artisan, other programs and our own files. */
export const markNamed = (text: string): MarkKind | undefined => {
  const name = plainWords(text);
  const found = Object.entries(markNames).find(([, names]) => names.includes(name));
  return found?.[0] as MarkKind | undefined;
};
