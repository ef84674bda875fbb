import { detectMarks } from '@roastery/roasting/detection/detect-marks';
import { markOf, type MarkKind } from '@roastery/roasting/marks';
import type { Roast } from '@roastery/contract/roasts';
import type { ChannelExchanges } from '@roastery/contract/channel-exchanges';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { doubtAboutCharge, doubtAboutDrop } from '@roastery/testing/marks/doubtful-marks';
import {
  chargedCold,
  recordedRoasts,
  recordedRoastsPresent,
  recordedRoastsTitle,
  type RecordedRoast,
} from '@roastery/testing/marks/recorded-roasts';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import { exampleMap } from '../../testing/example-data.ts';
import { commitMessages } from '../../ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin } from '../../testing/test-api.ts';

const mapId = 'exchanged-drum';

const isClear = ({ roast }: RecordedRoast): boolean =>
  !chargedCold(roast) &&
  doubtAboutCharge(roast) === null &&
  doubtAboutDrop(roast) === null &&
  roast.exhaustTempC.some((temp) => temp !== null && temp > 0);

const clear = recordedRoasts().filter(isClear);

/** The journal of a board whose map had the probes exchanged, with the marks that its detector found in the exhaust. */
const journalOf = ({ roast }: RecordedRoast, startMs: number) => {
  const id = uuidV7();
  const board = createJournalBoard({
    channels: ['bean_temp', 'exhaust_temp'],
    map: { id: mapId, rev: 1 },
    wallOffsetMs: startMs,
  });
  const seqs = roast.timesSeconds.map((seconds, index) =>
    board.sample(Math.round(seconds * 1000), roast.exhaustTempC[index] ?? null, roast.beanTempC[index] ?? null),
  );
  const inExhaust = detectMarks(
    roast.timesSeconds.map((timeSeconds, index) => ({ timeSeconds, beanTempC: roast.exhaustTempC[index] ?? null })),
  );
  const endMs = Math.round((roast.timesSeconds.at(-1) ?? 0) * 1000);
  // A board that was in doubt reports the whole roast at once.
  board.event(endMs, { type: 'roast', roast_id: id, state: 'in_progress' });
  for (const { kind, timeSeconds, tempC } of inExhaust) {
    const index = roast.timesSeconds.findIndex((time) => time >= timeSeconds);
    board.event(endMs, markEvent(id, kind, { seq: seqs[index] ?? 0, mono: Math.round(timeSeconds * 1000) }, tempC));
  }
  board.event(endMs, { type: 'roast', roast_id: id, state: 'completed' });
  return { id, board, found: markOf(inExhaust, 'charge') !== undefined };
};

describe.skipIf(!recordedRoastsPresent)(`exchanged channels of recorded roasts${recordedRoastsTitle}`, () => {
  it('marks made anew: are those of the roast, whatever the board found in the exhaust', async () => {
    await using database = await openMigratedDatabase();
    const machine = await registerMachine(database.sql, 'RECORDED-1');
    await database.sql`INSERT INTO machine_maps (id, owner_id, rev) VALUES (${mapId}, ${machine.owner}, 2)`;
    for (const [rev, bean, exhaust] of [
      [1, 'h:6', 'h:8'],
      [2, 'h:8', 'h:6'],
    ] as const) {
      const map = {
        ...exampleMap,
        id: mapId,
        rev,
        channels: { bean_temp: { at: bean }, exhaust_temp: { at: exhaust } },
      };
      await database.sql`
        INSERT INTO machine_map_revisions (map_id, rev, map) VALUES (${mapId}, ${rev}, ${JSON.stringify(map)}::text::json)`;
    }
    await using test = await startTestApi(database.url);
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const recorded = [];
    for (const [day, one] of clear.entries()) {
      const { id, board, found } = journalOf(one, Date.parse('2026-01-05T09:00:00Z') + day * 86_400_000);
      await commitMessages(
        database.sql,
        board.batches(() => 300).map((batch) => messageOf('RECORDED-1', batch)),
      );
      if (found) recorded.push({ ...one, roastId: id, startMs: Date.parse('2026-01-05T09:00:00Z') + day * 86_400_000 });
    }
    const path = `/machines/${machine.id}/channel-exchanges`;
    const body = { state: 'exchanged', revisions: [{ map_id: mapId, map_rev: 1 }] };
    expect((await admin.send('POST', path, body)).status).toBe(200);
    await until('all marks', async () => (await admin.send<ChannelExchanges>('GET', path)).body.pending === 0, {
      timeoutMs: 120_000,
    });
    expect(recorded.length).toBeGreaterThan(8);
    for (const { roastId, roast, startMs, file } of recorded) {
      const { body: now } = await admin.send<Roast>('GET', `/roasts/${roastId}`);
      const charge = (Date.parse(now.start_time) - startMs) / 1000;
      const error = (found: number, kind: MarkKind) =>
        Math.abs(found - (markOf(roast.marks, kind)?.timeSeconds ?? NaN));
      expect(error(charge, 'charge'), `charge of ${file}`).toBeLessThan(10);
      expect(error(charge + (now.duration_seconds ?? NaN), 'drop'), `drop of ${file}`).toBeLessThan(10);
    }
  }, 180_000);
});
