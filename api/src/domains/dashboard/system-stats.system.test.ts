import { uuidV7 } from '@roastery/runtime/uuid';
import { describe, expect, it } from 'vitest';
import type { SignedInUser } from '../../http/server-context.ts';
import { openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { readSystemStats } from './routes.ts';

const person = (id: string, isAdmin = false): SignedInUser => ({
  id,
  full_name: 'Ada',
  email: 'ada@example.org',
  is_active: true,
  is_admin: isAdmin,
  created_at: '2026-01-01T00:00:00.000Z',
  preferences: {},
  shared: { see: [], roast: [], all: false },
});

describe('the dashboard', () => {
  it('stats: count days and months in the roastery’s time zone, also when clocks change, for visible machines only [P16 P171]', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const mine = await registerMachine(sql, 'A');
    const theirs = await registerMachine(sql, 'B');
    const roast = (machine: { id: string; owner: string }, start: string, kg: number) => sql`
      INSERT INTO roasts (id, machine_id, owner_id, status, start_time, batch_size_kg)
      VALUES (${uuidV7()}, ${machine.id}, ${machine.owner}, 'completed', ${start}, ${kg})`;
    // Berlin leaves summer time on 25 October 2026: that day has 25 hours, from 24th 22:00 UTC to 25th 23:00 UTC.
    await roast(mine, '2026-10-24T21:59:59Z', 1);
    await roast(mine, '2026-10-24T22:00:00Z', 2);
    await roast(mine, '2026-10-25T22:59:59Z', 4);
    await roast(mine, '2026-10-25T23:00:00Z', 8);
    await roast(mine, '2026-09-30T22:00:00Z', 16);
    await roast(mine, '2026-09-30T21:59:59Z', 32);
    await roast(theirs, '2026-10-25T12:00:00Z', 0.5);
    await sql`INSERT INTO roastery_settings (time_zone) VALUES ('Europe/Berlin')`;
    const now = new Date('2026-10-25T22:30:00Z');
    await sql`UPDATE machines SET is_online = true, last_seen_at = ${new Date(now.getTime() - 50_000)} WHERE id = ${mine.id}`;
    await sql`UPDATE machines SET is_online = true, last_seen_at = ${new Date(now.getTime() - 70_000)} WHERE id = ${theirs.id}`;

    expect(await readSystemStats(sql, person(mine.owner), now)).toEqual({
      activeMachines: 1,
      totalMachines: 1,
      todayRoasts: 2,
      thisMonthRoasts: 5,
      totalRoasted: 63,
      unweighedRoasts: 6,
      hasRoasts: true,
      hasLots: false,
      hasRecipes: false,
    });
    expect(await readSystemStats(sql, person(uuidV7(), true), now)).toEqual({
      activeMachines: 1,
      totalMachines: 2,
      todayRoasts: 3,
      thisMonthRoasts: 6,
      totalRoasted: 63.5,
      unweighedRoasts: 7,
      hasRoasts: true,
      hasLots: false,
      hasRecipes: false,
    });
  });
});
