import { randomUUID } from 'node:crypto';
import { minRoastSeconds } from '@roastery/contract/limits';
import type { ParsedBody } from '@roastery/contract/endpoint';
import type { Roast } from '@roastery/contract/roasts';
import type { makeRoast as endpoint } from '@roastery/contract/timeline';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { requireMachine } from '../../identity/access.ts';
import { placeBoardRoasts } from '../roasts/boards/board-roasts.ts';
import { refreshRoasts } from '../roasts/life/recompute-roast.ts';
import { readClocks, findPlace, type PlaceInRecording } from '../../recordings/recordings.ts';
import { lockRecording } from '../roasts/life/lock-roast.ts';
import { insertMarkEntry, userMarkEntry } from '../roasts/marks/mark-entries.ts';
import { refuseOverlap } from '../roasts/life/overlap.ts';
import { readRoast } from '../roasts/roast-row.ts';

const maxRoastMs = 4 * 3_600_000;
const refuseLength = (ms: number): void => {
  if (ms <= 0) throw invalid('drop_at', 'The drop must come after the charge');
  if (ms < minRoastSeconds * 1000)
    throw invalid('drop_at', `A roast lasts at least ${minRoastSeconds} seconds: choose a longer range`);
  if (ms > maxRoastMs) throw invalid('drop_at', 'A roast can last at most 4 hours');
};
/** A machine with entries this recent still sends: its roast may continue. */
const stillSendsMinutes = 15;

const placesOf = async (tx: Sql, machineId: string, chargeMs: number, dropMs: number | null) => {
  const recordings = await tx<{ id: string; sends: boolean }[]>`
    SELECT id, last_received_at > now() - make_interval(mins => ${stillSendsMinutes}) AS sends
    FROM recordings WHERE machine_id = ${machineId} AND source = 'agent'`;
  const ids = recordings.map(({ id }) => id);
  const charge = await findPlace(tx, ids, chargeMs);
  if (charge === undefined) throw new AppError('conflict', 'Nothing was recorded at the time of the charge.');
  if (dropMs === null) {
    const sends = recordings.some((recording) => recording.id === charge.recording_id && recording.sends);
    if (sends && chargeMs > Date.now() - maxRoastMs) return { charge, drop: null };
    throw new AppError('conflict', 'The machine is not sending readings, so the roast needs a drop too.');
  }
  const drop = await findPlace(tx, [charge.recording_id], dropMs);
  if (drop === undefined) throw new AppError('conflict', 'Nothing was recorded at the time of the drop.');
  return { charge, drop };
};

interface NewRoast {
  readonly machineId: string;
  readonly ownerId: string;
  readonly by: string;
  readonly charge: PlaceInRecording;
  readonly drop: PlaceInRecording | null;
}

/** The row and the mark entries of a roast made by hand, before it is refreshed. */
export const insertRoast = async (tx: Sql, made: NewRoast): Promise<string> => {
  const { charge, drop, by } = made;
  const id = randomUUID();
  const clocks = await readClocks(tx, charge.recording_id, [charge.boot_no]);
  const chargedAt = new Date((clocks.get(charge.boot_no)?.offsetMs ?? 0) + charge.mono_ms);
  await tx`
    INSERT INTO roasts (id, recording_id, machine_id, owner_id, status, recorded_status, boot_no, charge_seq, charge_mono_ms,
                        start_time, made_by_hand)
    VALUES (${id}, ${charge.recording_id}, ${made.machineId}, ${made.ownerId}, 'in_progress', 'in_progress', ${charge.boot_no},
            ${charge.at_seq}, ${charge.mono_ms}, ${chargedAt}, true)`;
  await insertMarkEntry(
    tx,
    id,
    charge.recording_id,
    by,
    await userMarkEntry(tx, charge.recording_id, 'charge', charge),
  );
  if (drop !== null) {
    await insertMarkEntry(tx, id, charge.recording_id, by, await userMarkEntry(tx, charge.recording_id, 'drop', drop));
  }
  return id;
};

/** Refreshes a roast made by hand, with the board's reports about the same beans. */
export const settleMade = async (tx: Sql, recordingId: string, ids: readonly string[], by: string): Promise<void> => {
  await refreshRoasts(tx, [...ids, ...(await placeBoardRoasts(tx, recordingId, [], ids))], by);
};

/**
 * Creates a roast from a part of a machine's recording. Without a drop it continues: a drop by hand or the machine's
 * own ends it.
 */
export const makeRoast = async (
  context: UserContext,
  machineId: string,
  { charge_at, drop_at }: ParsedBody<typeof endpoint>,
): Promise<Roast> => {
  const { user } = context;
  const chargeMs = charge_at === undefined ? Date.now() : Date.parse(charge_at);
  const dropMs = typeof drop_at === 'string' ? Date.parse(drop_at) : null;
  const id = await context.sql.begin(async (tx) => {
    await requireMachine(tx, user, machineId, 'roast');
    if (dropMs !== null) refuseLength(dropMs - chargeMs);
    const [machine] = await tx<{ owner_id: string }[]>`SELECT owner_id FROM machines WHERE id = ${machineId}`;
    if (machine === undefined) throw notFound('Machine');
    const { charge, drop } = await placesOf(tx, machineId, chargeMs, dropMs);
    await lockRecording(tx, charge.recording_id);
    const window = { fromSeq: charge.at_seq, toSeq: drop?.at_seq ?? null };
    await refuseOverlap(tx, charge.recording_id, window, []);
    const made = await insertRoast(tx, { machineId, ownerId: machine.owner_id, by: user.id, charge, drop });
    await settleMade(tx, charge.recording_id, [made], user.id);
    const detail = { machine_id: machineId, charge_at: new Date(chargeMs).toISOString(), drop_at: drop_at ?? null };
    await recordAudit(tx, actorOf(context), { action: 'roast.made', subject: made, detail });
    return made;
  });
  const read = await readRoast(context.sql, id, user);
  if (read === undefined) throw notFound('Roast');
  return read.roast;
};
