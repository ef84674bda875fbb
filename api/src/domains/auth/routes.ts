import { login, logout, me } from '@roastery/contract/auth';
import type { Domain } from '../../app.ts';
import { recordAudit } from '../../db/audit.ts';
import { clearedSessionCookie, deviceCookie, sessionCookie } from '../../http/cookies.ts';
import { endSession } from '../../http/sessions.ts';
import { signIn, toSessionUser } from './sign-in.ts';

export const authRoutes: Domain = (routes) => {
  routes.forPublic(login, async (context, { body }, reply) => {
    const { token, user } = await signIn(context, body);
    reply.header('set-cookie', sessionCookie(token, context.config.isHttps));
    reply.header('set-cookie', deviceCookie(context.deviceCookie, context.config, body.email));
    return { user };
  });

  routes.forPublic(logout, async (context, _, reply) => {
    const { session, sql, address } = context;
    if (session) {
      await sql.begin(async (tx) => {
        await endSession(tx, session.user.id, session.id);
        await recordAudit(tx, { actor: session.user.email, actorId: session.user.id, address }, { action: 'sign_out' });
      });
    }
    reply.header('set-cookie', clearedSessionCookie(context.config.isHttps));
    return { message: 'Signed out' };
  });

  routes.forUser(me, ({ sql, user }) => toSessionUser(sql, user));
};
