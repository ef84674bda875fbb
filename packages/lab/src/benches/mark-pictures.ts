import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { truthOf } from '@roastery/testing/marks/curve-truth';
import { detectorRoasts } from '@roastery/testing/marks/detected-roasts';
import { ownerFolders, recordedRoasts, samplesOf } from '@roastery/testing/marks/recorded-roasts';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { failurePicture } from '../marks/failure-picture.ts';

/** Recordings by number, and what of the curve makes the mark hard. */
const failures = [
  { id: '19', mark: 'charge', why: 'charged cold, marked 20 s after the probe began to rise' },
  { id: '22', mark: 'charge', why: 'marked at a dip, 38 s before the fall' },
  { id: '125', mark: 'charge', why: 'the probe rises from the first reading on' },
  { id: '64', mark: 'drop', why: 'no fall after the mark' },
  { id: '154', mark: 'drop', why: 'marked half a minute after the fall began' },
] as const;

const folder = path.join(repositoryRoot(), 'packages', 'roasting', 'docs', 'pictures');

const run: Bench['run'] = (say) => {
  mkdirSync(folder, { recursive: true });
  const roasts = recordedRoasts(ownerFolders);
  const drawn = failures.flatMap(({ id, mark, why }): Measurement[] => {
    const recorded = roasts.find((each) => each.id === id);
    const truth = recorded && truthOf(recorded.file, recorded.roast);
    if (!truth) return [];
    const samples = samplesOf(recorded.roast, { withControls: false });
    const found = detectorRoasts(samples, truth.cold ? 'cold' : 'hot').roasts[0]?.[mark] ?? null;
    const file = path.join(folder, `${id}-${mark}.svg`);
    writeFileSync(
      file,
      failurePicture({ title: `Recording ${id}, ${mark}: ${why}`, samples, truth: truth[mark], found }),
    );
    say(`${file}${found === null ? ': not found' : ''}`);
    if (found === null) return [];
    return [{ what: `recording ${id}, ${mark}: found after its mark`, value: found - truth[mark].from, unit: 's' }];
  });
  return Promise.resolve(drawn);
};

export default {
  title: 'Draws the recordings whose marks the detector still fails on',
  onlyWhenNamed: true,
  run,
} satisfies Bench;
