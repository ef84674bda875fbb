import * as contract from '@roastery/contract/wall';
import type { WallLink } from '@roastery/contract/wall';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Domain } from '../../app.ts';
import { actorOf, recordAudit, systemActor } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { hashToken, newToken } from '../../http/secrets.ts';
import { preferencesOf } from '../../identity/preferences.ts';
import { deleteLink, startScreen, wallCookie } from '../../http/wall-screens.ts';
import { countWallMachines, readWall, viewerOf } from './read-wall.ts';

export const wallRoutes: Domain = (routes) => {
  routes.forWall(contract.getWall, async ({ sql, streams, user, linkId, sessionId }) => {
    if (linkId !== undefined) streams.checkScreen(sessionId, linkId);
    return {
      machines: await readWall(sql, viewerOf(user)),
      total: await countWallMachines(sql, viewerOf(user)),
      reads_as: preferencesOf(user?.preferences ?? (await choicesOfMaker(sql, sessionId))),
    };
  });
  routes.forPublic(contract.openWall, async ({ sql, config, address }, { body }, reply) => {
    const token = await sql.begin(async (tx) => {
      const screen = await startScreen(tx, body.token);
      if (screen === undefined) throw notFound('Wall link');
      const { id, name } = screen.link;
      const actor = { ...systemActor, actor: name, address };
      await recordAudit(tx, actor, { action: 'wall_link.opened', subject: id, detail: { name } });
      return screen.token;
    });
    reply.header('set-cookie', wallCookie(token, config.isHttps));
    return { message: 'The wall is open on this screen.' };
  });
  routes.forUser(contract.listWallLinks, async ({ sql }) => ({ links: await readLinks(sql) }));
  routes.forUser(contract.createWallLink, (context, { body }) => createLink(context, body.name));
  routes.forUser(contract.revokeWallLink, (context, { params }) => revokeLink(context, params.id));
};

/** The preferences of the creator of a screen's link. */
const choicesOfMaker = async (sql: Sql, screenId: string): Promise<Record<string, unknown>> => {
  const [row] = await sql<{ preferences: Record<string, unknown> }[]>`
    SELECT u.preferences FROM wall_screens s JOIN wall_links w ON w.id = s.link_id JOIN users u ON u.id = w.created_by
     WHERE s.id = ${screenId}`;
  return row?.preferences ?? {};
};

const readLinks = async (sql: Sql): Promise<WallLink[]> => {
  const rows = await sql<WallLink[]>`
    SELECT w.id, w.name, w.created_at, coalesce(u.full_name, '') AS created_by, w.last_opened_at
      FROM wall_links w LEFT JOIN users u ON u.id = w.created_by ORDER BY w.created_at DESC, w.id`;
  return [...rows];
};

const createLink = async (context: UserContext, name: string) => {
  const [id, token] = [uuidV7(), newToken()];
  const link = await context.sql.begin(async (tx) => {
    await tx`
      INSERT INTO wall_links (id, name, token_hash, created_by)
      VALUES (${id}, ${name}, ${hashToken(token)}, ${context.user.id})`;
    await recordAudit(tx, actorOf(context), { action: 'wall_link.created', subject: id, detail: { name } });
    return (await readLinks(tx)).find((one) => one.id === id);
  });
  if (link === undefined) throw notFound('Wall link');
  return { ...link, token };
};

const revokeLink = (context: UserContext, id: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    const link = await deleteLink(tx, id);
    if (link === undefined) throw notFound('Wall link');
    const { name } = link;
    await recordAudit(tx, actorOf(context), { action: 'wall_link.revoked', subject: id, detail: { name } });
    return { message: `${name} was revoked.` };
  });
