import { join } from 'node:path';
import { randomStream } from '@roastery/testing/marks/random';
import { readSegment } from '../journal/segment.ts';
import {
  boots,
  contentOf,
  createCommittingServer,
  deliver,
  openOnCard,
  recordRoast,
  restore,
  snapshotOf,
} from './forgetful-card.ts';

const entriesOf = (bytes: Buffer): string[] => readSegment(bytes).entries.map(contentOf);
const bootNames = Object.keys(boots) as (keyof typeof boots)[];

/**
 * A board with several restarts at random: closed, killed, or without power, when its card may forget the end of its
 * newest segment or everything since an earlier moment; connected or not. Returns what is wrong at the end.
 */
export const restartAtRandom = async (folder: string, seed: number, restarts: number): Promise<string[]> => {
  const random = randomStream(seed);
  const server = createCommittingServer();
  const card = join(folder, `card-${seed}`);
  /** The card at earlier moments, and the entries that are on it. */
  const moments: { readonly files: Map<string, Buffer>; readonly held: ReadonlySet<string> }[] = [];
  let held = new Set<string>();
  let boot = 0;
  let mono = 1e6;
  let isOwned = false;
  let isStreamForgotten = false;
  for (let start = 0; start <= restarts; start++) {
    const journal = await openOnCard(card, bootNames[boot] ?? 'third', mono);
    if (!isOwned) journal.hear(server.statement(journal.epoch));
    isOwned = true;
    if (random() < 0.4) await deliver(journal, server);
    for (const entry of await recordRoast(journal, mono)) held.add(contentOf(entry));
    if (start === restarts || random() < 0.6) await deliver(journal, server);
    if (random() < 0.5) await journal.time.advance(1000);
    const files = await snapshotOf(card);
    const kind = random();
    if (start === restarts || kind < 0.2) {
      await journal.end();
      mono += 30_000;
      continue;
    }
    await journal.end();
    moments.push({ files, held: new Set(held) });
    mono += 30_000;
    if (kind < 0.5) {
      await restore(card, files);
      continue;
    }
    // A power cut.
    boot = Math.min(boot + 1, bootNames.length - 1);
    if (kind < 0.75) {
      const newest =
        [...files.keys()]
          .filter((name) => name.endsWith('.open'))
          .sort()
          .at(-1) ?? '';
      const whole = files.get(newest) ?? Buffer.alloc(0);
      const kept = whole.subarray(0, Math.floor(random() * (whole.length + 1)));
      const left = new Set(entriesOf(kept));
      for (const content of entriesOf(whole)) if (!left.has(content)) held.delete(content);
      await restore(card, new Map(files).set(newest, kept));
    } else {
      const moment = moments[Math.floor(random() * moments.length)];
      await restore(card, moment?.files ?? files);
      held = new Set(moment?.held ?? held);
      isStreamForgotten = true;
    }
  }
  const stored = server.values();
  const { missing, named } = server.holes();
  const facts: readonly (readonly [fault: string, isFault: boolean])[] = [
    ['an entry on the card was never stored', ![...held].every((content) => stored.includes(content))],
    ['an entry was stored twice', new Set(stored).size !== stored.length],
    [`numbers with two contents: ${server.conflicts.join()}`, server.conflicts.length > 0],
    [`${server.recordings.length} recordings`, server.recordings.length > 1 && !isStreamForgotten],
    [
      `gaps name ${named.ranges().join(' ')}, missing are ${missing.ranges().join(' ')}`,
      missing.ranges().some((range) => !named.covers(...range)),
    ],
  ];
  return facts.flatMap(([fault, isFault]) => (isFault ? [`seed ${seed}: ${fault}`] : []));
};
