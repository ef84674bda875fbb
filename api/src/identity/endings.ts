import { type Actor, recordAudit, recordAudits } from '../db/audit.ts';
import type { Sql } from '../db/sql.ts';
import { endSessionsOf, endStreamsOf } from '../http/sessions.ts';
import { deleteLinksOf } from '../http/wall-screens.ts';
import { mayRoastOn } from './access.ts';

/* What the api issues and accepts later, and what ends it. `endings.system.test.ts` tries each of them in every way. It fails
   for a table that could hold another one, and for a live stream, until it is listed here or there. */

/** Ends what is issued to one person or machine. Returns how many there were. */
type End = (tx: Sql, id: string, why: { readonly by: Actor; readonly keepSession?: string }) => Promise<number>;

/** `machine_lost`: a machine is no longer shared with the person, or only to view it. */
export type PersonEnding = 'deactivated' | 'demoted' | 'machine_lost' | 'password_changed' | 'password_reset';
/** `reissued`: another ticket replaces the open one; `replaced`: another token replaces all others at once. */
export type MachineEnding = 'removed' | 'credentials_revoked' | 'replaced' | 'reissued';

const allSessions: End = (tx, userId) => endSessionsOf(tx, userId);
const otherSessions: End = (tx, userId, { keepSession }) => endSessionsOf(tx, userId, keepSession);

/** The pages open their streams again, with the rights of then. */
const streams: End = async (tx, userId) => {
  await endStreamsOf(tx, [userId]);
  return 0;
};

/** Chosen at a machine: its next roasts would name a person who may not roast on it. */
const chosenAtMachines: End = async (tx, userId) => {
  const { count } = await tx`
    UPDATE machines m SET roaster_id = NULL, roaster_since = NULL FROM users u
     WHERE u.id = ${userId} AND m.roaster_id = u.id AND NOT (u.is_active AND (u.is_admin OR ${mayRoastOn(tx)}))`;
  return count;
};

const wallLinks: End = async (tx, userId, { by }) => {
  const links = await deleteLinksOf(tx, userId);
  for (const { id, name } of links)
    await recordAudit(tx, by, { action: 'wall_link.revoked', subject: id, detail: { name } });
  return links.length;
};

const isOpen = (tx: Sql) => tx`t.revoked_at IS NULL AND t.redeemed_at IS NULL AND t.expires_at > now()`;

/** They know the codes; of the machines that the person still manages the tickets stay, unless the person is deactivated. */
const ticketsOfIssuer =
  (mayKeepOwn: boolean): End =>
  async (tx, userId, { by }) => {
    const revoked = await tx<{ id: string; machine_id: string; serial_number: string }[]>`
      UPDATE pairing_tickets t SET revoked_at = now() FROM machines m
       WHERE t.issued_by = ${userId} AND m.id = t.machine_id AND ${isOpen(tx)}
         AND NOT (${mayKeepOwn} AND m.owner_id = ${userId})
      RETURNING t.id, t.machine_id, m.serial_number`;
    for (const { id, machine_id: subject, serial_number } of revoked)
      await recordAudit(tx, by, { action: 'pairing.revoked', subject, detail: { serial_number, ticket: id } });
    return revoked.length;
  };

const ticketsOfMachine: End = async (tx, machineId) => {
  const { count } = await tx`
    UPDATE pairing_tickets t SET revoked_at = now() WHERE t.machine_id = ${machineId} AND ${isOpen(tx)}`;
  return count;
};

const credentials: End = async (tx, machineId) => {
  const { count } = await tx`
    UPDATE machine_credentials SET revoked_at = now() WHERE machine_id = ${machineId} AND revoked_at IS NULL`;
  return count;
};

const queue: End = async (tx, machineId, { by }) => {
  const cancelled = await tx<{ id: string }[]>`
    UPDATE planned_roasts SET cancelled_at = now()
     WHERE machine_id = ${machineId} AND bound_at IS NULL AND cancelled_at IS NULL RETURNING id`;
  const events = cancelled.map(({ id }) => ({ action: 'plan.cancelled', subject: id }));
  if (events.length > 0) await recordAudits(tx, by, events);
  return cancelled.length;
};

/**
 * By the name of the table where they have one of their own. Sessions also end one by one, and by their age. Push subscriptions and live streams end with
 * their session, screens and their streams with their wall link: by a foreign key and `announceEndedSessions`. Imports in
 * the background wait while their person is inactive.
 */
export const issuedToPeople = {
  sessions: { deactivated: allSessions, password_changed: otherSessions, password_reset: allSessions },
  live_streams: { demoted: streams, machine_lost: streams },
  roasters_at_machines: { deactivated: chosenAtMachines, demoted: chosenAtMachines, machine_lost: chosenAtMachines },
  wall_links: { deactivated: wallLinks, demoted: wallLinks },
  pairing_tickets: { deactivated: ticketsOfIssuer(false), demoted: ticketsOfIssuer(true) },
} satisfies Record<string, Partial<Record<PersonEnding, End>>>;

/** The live streams of a removed machine end within a second: the hub polls which machines are in use. */
export const issuedToMachines = {
  machine_credentials: { removed: credentials, credentials_revoked: credentials, replaced: credentials },
  pairing_tickets: { removed: ticketsOfMachine, credentials_revoked: ticketsOfMachine, reissued: ticketsOfMachine },
  planned_roasts: { removed: queue },
} satisfies Record<string, Partial<Record<MachineEnding, End>>>;

/** How many of each were ended. */
type Ended = ReadonlyMap<string, number>;

const endAll = async <Ending extends string>(
  table: Readonly<Record<string, Partial<Record<Ending, End>>>>,
  ending: Ending,
  run: (end: End) => Promise<number>,
): Promise<Ended> => {
  const ended = new Map<string, number>();
  for (const [thing, ends] of Object.entries(table)) {
    const end = ends[ending];
    ended.set(thing, end === undefined ? 0 : await run(end));
  }
  return ended;
};

/** Ends what a person was given, in the transaction that takes the right. */
export const endOfPerson = (
  tx: Sql,
  userId: string,
  ending: PersonEnding,
  by: Actor,
  keepSession?: string,
): Promise<Ended> =>
  endAll<PersonEnding>(issuedToPeople, ending, (end) =>
    end(tx, userId, { by, ...(keepSession === undefined ? {} : { keepSession }) }),
  );

/** The same for a machine. */
export const endOfMachine = (tx: Sql, machineId: string, ending: MachineEnding, by: Actor): Promise<Ended> =>
  endAll<MachineEnding>(issuedToMachines, ending, (end) => end(tx, machineId, { by }));
