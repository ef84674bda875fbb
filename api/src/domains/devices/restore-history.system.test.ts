import type { Device } from '@roastery/contract/fleet';
import type { Roast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roastOn } from '../../testing/ingest-fixture.ts';
import { createKeepingBoard } from '../../testing/keeping-board.ts';
import { startPlainBroker, startWholeApi, type PlainBroker } from '../../testing/whole-api.ts';

const form = { serial_number: 'R-1', display_name: 'Big Drum', machine_type: 'RM30', max_capacity_kg: 30 };

const samplesBefore = 720;
const samplesSince = 100;

/**
 * A board delivers two roasts, its machine is archived and registered again, and an admin restores the sealed history.
 */
const restoreAfterArchival = async (broker: PlainBroker, ofNewOwner: boolean) => {
  await using database = await createTestDatabase();
  await using api = await startWholeApi(database.url, broker.url, { sweep: false });
  const { sql } = api.api.context;
  const admin = await api.signedIn();
  const [journal, other] = [createJournalBoard(), createJournalBoard()];
  const [roastId, discardedId] = [uuidV7(), uuidV7()];
  roastOn(journal, roastId);
  roastOn(other, discardedId);
  await using board = createKeepingBoard(form.serial_number, [journal, other]);
  const { body: before } = await admin.send<{ id: string }>('POST', '/machines', form);
  await board.connect(broker.url);
  await until('the journal', board.isDelivered);
  await until('the first statements', () => board.statements.length === 2);
  await admin.send('POST', `/roasts/${discardedId}/discard`);
  await board.disconnect();

  await admin.send('DELETE', `/machines/${before.id}`);
  const { body: now } = await admin.send<{ id: string }>('POST', '/machines', form);
  if (ofNewOwner) {
    await sql`INSERT INTO users (id, full_name, email, password_hash) VALUES (${uuidV7()}, 'B', 'b@example.org', 'x')`;
    await sql`UPDATE machines SET owner_id = (SELECT id FROM users WHERE email = 'b@example.org') WHERE id = ${now.id}`;
  }
  await board.connect(broker.url);
  await until('the sealed history', async () => {
    const { body } = await admin.send<{ devices: Device[] }>('GET', `/admin/devices?q=${form.serial_number}`);
    return body.devices.some((device) => device.sealed_history?.epochs.length === 2);
  });
  // Recorded before the board was paired with the machine registered again.
  for (let n = 0; n < samplesSince; n++) journal.sample(5_000_000 + n * 1000, 60, 80, 0);
  const sentBefore = board.sent;
  await admin.send('POST', `/machines/${now.id}/history/restore`, { epochs: [journal.epoch, other.epoch] });
  await until('the restored history', board.isDelivered);

  const recordings = await sql<{ machine_id: string; samples: number }[]>`
    SELECT r.machine_id, (SELECT sum(cardinality(dt_ms)) FROM recording_chunks WHERE recording_id = r.id) AS samples
    FROM recordings r WHERE r.epoch = ${journal.epoch} ORDER BY r.created_at`;
  const roast = (await admin.send<Roast>('GET', `/roasts/${roastId}`)).body;
  const discarded = (await admin.send<Roast>('POST', `/roasts/${discardedId}/restore`)).body;
  return { before, now, roast, discarded, recordings: [...recordings], sent: board.sent - sentBefore };
};

describe('history restore', () => {
  let broker: PlainBroker;
  beforeAll(async () => {
    broker = await startPlainBroker();
  });
  afterAll(() => broker.close());

  it('moves the recordings and roasts of an archived machine of the same owner to the new one together', async () => {
    const { now, roast, discarded, recordings, sent } = await restoreAfterArchival(broker, false);
    expect([roast.machine_id, discarded.machine_id]).toEqual([now.id, now.id]);
    expect(recordings).toEqual([{ machine_id: now.id, samples: samplesBefore + samplesSince }]);
    // Only missing entries are sent again.
    expect(sent).toBeLessThanOrEqual(Math.ceil(samplesSince / 20) + 1);
  });

  it('leaves the roasts of an archived machine of another owner with that machine', async () => {
    const { before, now, roast, recordings } = await restoreAfterArchival(broker, true);
    expect(roast.machine_id).toBe(before.id);
    expect(recordings).toEqual([
      { machine_id: before.id, samples: samplesBefore },
      { machine_id: now.id, samples: samplesBefore + samplesSince },
    ]);
  });
});
