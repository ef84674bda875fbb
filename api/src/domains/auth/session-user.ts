import type { SessionUser } from '@roastery/contract/auth';
import type { SignedInUser } from '../../context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { preferencesOf } from '../../identity/preferences.ts';

/** What the portal knows of the person in front of it. */
export const toSessionUser = async (sql: Sql, user: SignedInUser): Promise<SessionUser> => ({
  ...user,
  preferences: preferencesOf(user.preferences),
  roastery_time_zone: await readTimeZone(sql),
});
