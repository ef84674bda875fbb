import type { MapSummary } from '@roastery/contract/machine-maps';

const shown = 4;
/** The share of letters of the longer word that may differ. */
const maxDifference = 0.4;

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Number of letters to add, remove or change. */
const differenceOf = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of one.split('').entries()) {
    let left = at + 1;
    const next = [left];
    for (const [place, sign] of other.split('').entries()) {
      left = Math.min(left + 1, (row[place + 1] ?? 0) + 1, (row[place] ?? 0) + (letter === sign ? 0 : 1));
      next.push(left);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const shareOf = (word: string, typed: string): number =>
  differenceOf(word, typed) / Math.max(1, word.length, typed.length);

const wordsOf = (text: string): string[] =>
  plain(text)
    .slice(0, 80)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2);

/** Maps whose maker has a similar spelling: one per model, the closest first. */
export const closestMaps = (maps: readonly MapSummary[], typed: string): MapSummary[] => {
  const words = wordsOf(typed);
  if (words.length === 0) return [];
  const scored = maps.map((map) => ({
    map,
    score: Math.min(1, ...wordsOf(map.maker).flatMap((word) => words.map((wanted) => shareOf(word, wanted)))),
  }));
  return scored
    .filter(({ score }) => score <= maxDifference)
    .toSorted((a, b) => a.score - b.score || a.map.model.localeCompare(b.map.model))
    .slice(0, shown)
    .map(({ map }) => map);
};
