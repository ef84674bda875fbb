import { createUser } from '@roastery/contract/users';
import { me } from '@roastery/contract/auth';
import type { Stack } from '@roastery/stack/stack';
import postgres from 'postgres';
import { longRoast } from '@roastery/testing/long-roast';
import { registerTestMachine, signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { shipJournal } from '@roastery/testing/ship-journal';
import { seedLargeRoastery } from '@roastery/testing/large-roastery/seed';
import type { RoasterySizes } from '@roastery/testing/large-roastery/sizes';

const password = 'a long phrase for the one who roasts';
export const roaster = { email: 'roaster@roastery.example', password };

/** A quarter of an hour at 4 Hz: a usual roast. */
const usualSamples = 3600;
/** How many of them each user opens, one after another. */
const usualRoasts = 12;
/** Four hours at 4 Hz, the longest possible roast. */
export const longestSamples = 57_600;
const longestSerial = 'LONG-1';

/** The roasts to open: a few usual ones of each person, and the longest. */
export interface RecordedRoasts {
  readonly usual: string[];
  readonly longest: string;
}

/** Roasts recorded by a board of the benchmark; undefined in a database that is not filled. */
export const findRecorded = async (databaseUrl: string): Promise<RecordedRoasts | undefined> => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const rows = await sql<{ id: string; is_longest: boolean }[]>`
      SELECT r.id, m.serial_number = ${longestSerial} AS is_longest FROM roasts r JOIN machines m ON m.id = r.machine_id
       WHERE m.serial_number IN ('USUAL-1', 'USUAL-2', ${longestSerial}) AND r.status = 'completed' ORDER BY r.start_time, r.id`;
    const longest = rows.find(({ is_longest: isLongest }) => isLongest);
    return longest && { usual: rows.filter((row) => row !== longest).map(({ id }) => id), longest: longest.id };
  } finally {
    await sql.end();
  }
};

/** Records roasts on a new machine of the caller, as its board sends them. */
const recordRoasts = async (
  client: RoasteryClient,
  mqttUrl: string,
  serial: string,
  roasts: readonly ReturnType<typeof longRoast>[],
): Promise<void> => {
  const { auth_token: token } = await registerTestMachine(client, serial);
  for (const { batches } of roasts) await shipJournal(mqttUrl, { serial, token }, batches);
};

const makeUsualRoasts = () =>
  Array.from({ length: usualRoasts }, (_, place) => longRoast(usualSamples, place * (1 + usualSamples / 240)));

/** Fills an empty stack: roasts by SQL, and those that are opened by boards. */
export const fillRoastery = async (stack: Stack, sizes: RoasterySizes): Promise<void> => {
  const admin = await signIn(stack.url, stack.admin);
  const { id: adminId } = await admin.call(me);
  const { id: roasterId } = await admin.call(createUser, { body: { full_name: 'Rosa Lind', ...roaster } });
  await seedLargeRoastery(stack.databaseUrl, sizes, { adminId, roasterId });
  await recordRoasts(admin, stack.mqttUrl, 'USUAL-1', makeUsualRoasts());
  await recordRoasts(await signIn(stack.url, roaster), stack.mqttUrl, 'USUAL-2', makeUsualRoasts());
  await recordRoasts(admin, stack.mqttUrl, longestSerial, [longRoast(longestSamples)]);
};
