import { login, logout, me, type SessionUser } from '@roastery/contract/auth';
import type { Domain } from '../../app.ts';
import { recordAudit, systemActor } from '../../db/audit.ts';
import { clearedSessionCookie, deviceCookie, knownDevice, sessionCookie } from '../../http/cookies.ts';
import { endSession, startSession } from '../../http/sessions.ts';
import type { PublicContext } from '../../context.ts';
import type { Account } from '../../http/server-context.ts';
import { AppError } from '../../http/app-error.ts';
import { isPassword } from '../../identity/passwords.ts';
import { countAttempt } from '../../identity/sign-in-limits.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { readCurrency } from '../../ledger/money.ts';
import { preferencesOf } from '../../identity/preferences.ts';

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
    return { message: 'Signed out.' };
  });

  routes.forUser(me, ({ sql, user: { shared: _shared, ...account } }) => toSessionUser(sql, account));
};

interface AccountRow extends Account {
  password_hash: string;
}

/**
 * Checks email and password and starts a session with a new token; an existing session ends. Unknown account and wrong
 * password give the same answer after the same work; only with the right password does a caller learn that an account
 * is inactive.
 */
export const signIn = async (
  context: PublicContext,
  given: { email: string; password: string },
): Promise<{ token: string; user: SessionUser }> => {
  const { sql, address } = context;
  const device = knownDevice(context.deviceCookie, context.config.secretKey, given.email);
  const attempt = await countAttempt(sql, given.email, address, device);
  const [account] = await sql<AccountRow[]>`
    SELECT id, full_name, email, is_active, is_admin, created_at, preferences, password_hash
      FROM users WHERE email = ${given.email}`;
  if (!(await isPassword(account?.password_hash, given.password)) || !account) {
    await recordAudit(
      sql,
      { ...systemActor, address, actor: account ? account.email : 'unknown account' },
      { action: 'sign_in.failed', subject: account?.id ?? null },
    );
    throw new AppError('wrong_credentials', 'Email or password is wrong.');
  }
  if (!account.is_active) throw new AppError('account_inactive', 'This account is not active. Ask an administrator.');
  await attempt.giveBack();
  const { password_hash: _, ...user } = account;
  const token = await sql.begin(async (tx) => {
    // A password reset or a deactivation at this time ends the sessions it finds.
    const [still] = await tx`
      SELECT 1 FROM users WHERE id = ${user.id} AND is_active AND password_hash = ${account.password_hash} FOR SHARE`;
    if (still === undefined) throw new AppError('wrong_credentials', 'Email or password is wrong.');
    if (context.session) await endSession(tx, context.session.user.id, context.session.id);
    await recordAudit(
      tx,
      { actor: user.email, actorId: user.id, address },
      { action: 'sign_in.succeeded', subject: user.id },
    );
    return startSession(tx, user.id, context);
  });
  return { token, user: await toSessionUser(sql, user) };
};

/** The portal's data about the signed-in person. */
export const toSessionUser = async (sql: Sql, user: Account): Promise<SessionUser> => ({
  ...user,
  preferences: preferencesOf(user.preferences),
  roastery_time_zone: await readTimeZone(sql),
  roastery_currency: await readCurrency(sql),
});
