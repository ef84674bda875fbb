import {
  type ChannelExchange,
  type ChannelExchanges,
  listChannelExchanges,
  stateChannelExchange,
  undoChannelExchange,
} from '@roastery/contract/channel-exchanges';
import type { ParsedBody } from '@roastery/contract/endpoint';
import type { Domain } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { findManagedMachine } from '../../identity/machines.ts';
import { followStatements } from './follow-statement.ts';
import { readExchanges, readRevisions } from './read-exchanges.ts';

export const channelExchangeRoutes: Domain = (routes) => {
  routes.forUser(listChannelExchanges, async ({ sql, user }, { params }) => {
    await findManagedMachine(sql, user, params.id);
    return readExchanges(sql, params.id);
  });
  routes.forUser(stateChannelExchange, (context, { params, body }) => state(context, params.id, body));
  routes.forUser(undoChannelExchange, (context, { params, query }) => undo(context, params.id, query.state));
};

/**
 * Locks the machine against new recordings. The transaction ends before recordings are locked: ingest locks a recording
 * first. A recording that was being created is then visible, and later ones follow the statement from the start.
 */
const lockRecordingsOf = async (tx: Sql, { user }: UserContext, machineId: string): Promise<void> => {
  await findManagedMachine(tx, user, machineId);
  await tx`SELECT 1 FROM machines WHERE id = ${machineId} FOR UPDATE`;
};

const labelOf = ({ map_id, map_rev }: Pick<ChannelExchange, 'map_id' | 'map_rev'>): string => `${map_id}@${map_rev}`;

/** States what was proposed; the machine's curves are right when it returns, and marks follow roast by roast. */
const state = async (
  context: UserContext,
  machineId: string,
  body: ParsedBody<typeof stateChannelExchange>,
): Promise<ChannelExchanges> => {
  const { sql, user } = context;
  const isExchanged = body.state === 'exchanged';
  await sql.begin(async (tx) => {
    await lockRecordingsOf(tx, context, machineId);
    const proposed = (await readRevisions(tx, machineId)).filter((revision) => revision.state === 'proposed');
    const wanted = [...new Set(body.revisions.map(labelOf))];
    const chosen = proposed.filter((revision) => wanted.includes(labelOf(revision)));
    if (chosen.length < wanted.length) {
      throw new AppError('conflict', 'These recordings are no longer proposed. Reload the page.');
    }
    const rows = chosen.map(({ map_id, map_rev }) => ({
      machine_id: machineId,
      map_id,
      map_rev,
      is_exchanged: isExchanged,
      stated_by: user.id,
    }));
    await tx`INSERT INTO channel_exchanges ${tx(rows)}`;
    await recordAudit(tx, actorOf(context), {
      action: isExchanged ? 'recordings.channels_exchanged' : 'recordings.channels_right',
      subject: machineId,
      detail: { revisions: chosen.map(labelOf), roasts: chosen.reduce((sum, { roasts }) => sum + roasts, 0) },
    });
  });
  await followStatements(sql, machineId);
  return readExchanges(sql, machineId);
};

/** Withdraws all statements of this kind about a machine. */
const undo = async (
  context: UserContext,
  machineId: string,
  kind: 'exchanged' | 'right',
): Promise<ChannelExchanges> => {
  const { sql } = context;
  await sql.begin(async (tx) => {
    await lockRecordingsOf(tx, context, machineId);
    const withdrawn = await tx<Pick<ChannelExchange, 'map_id' | 'map_rev'>[]>`
      DELETE FROM channel_exchanges WHERE machine_id = ${machineId} AND is_exchanged = ${kind === 'exchanged'}
      RETURNING map_id, map_rev`;
    if (withdrawn.length === 0) throw notFound('Statement');
    await recordAudit(tx, actorOf(context), {
      action: 'recordings.channels_undone',
      subject: machineId,
      detail: { state: kind, revisions: withdrawn.map(labelOf) },
    });
  });
  await followStatements(sql, machineId);
  return readExchanges(sql, machineId);
};
