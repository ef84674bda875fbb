import * as contract from '@roastery/contract/auth';
import * as pins from '@roastery/contract/roasters';
import type { Preferences, Session } from '@roastery/contract/auth';
import type { Domain } from '../../app.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { invalid, notFound } from '../../http/app-error.ts';
import { endSession } from '../../http/sessions.ts';
import { endOfPerson } from '../../identity/endings.ts';
import { hashPassword, refuseCommonPassword } from '../../identity/passwords.ts';
import { preferencesOf, withoutUndefined } from '../../identity/preferences.ts';
import { sessionIdleHours } from '../../http/cookies.ts';
import { checkOwnPassword, confirmPinLocks, readPin, removePin, setPin, wrongPassword } from './own-secrets.ts';

export const accountRoutes: Domain = (routes) => {
  routes.forUser(contract.listSessions, async (context) => ({ sessions: await listOwnSessions(context) }));
  routes.forUser(contract.endSession, (context, { params }) => endOwnSession(context, params.id));
  routes.forUser(contract.changePassword, (context, { body }) => changePassword(context, body));
  routes.forUser(pins.getPin, (context) => readPin(context));
  routes.forUser(pins.confirmPinLocks, (context) => confirmPinLocks(context));
  routes.forUser(pins.setPin, (context, { body }) => setPin(context, body));
  routes.forUser(pins.removePin, (context) => removePin(context));
  routes.forUser(contract.updatePreferences, (context, { body }) => changePreferences(context, body));
};

/** Changes the caller's password. */
export const changePassword = async (
  context: UserContext,
  given: { current_password: string; new_password: string },
): Promise<{ message: string }> => {
  const { sql, user, sessionId } = context;
  refuseCommonPassword(given.new_password, user.email, 'new_password');
  const before = await checkOwnPassword(context, given.current_password);
  const hashed = await hashPassword(given.new_password);
  await sql.begin(async (tx) => {
    // An administrator who resets it at the same time overrides this change.
    const changed = await tx`
      UPDATE users SET password_hash = ${hashed} WHERE id = ${user.id} AND password_hash = ${before}`;
    if (changed.count === 0) throw wrongPassword();
    const ended = await endOfPerson(tx, user.id, 'password_changed', actorOf(context), sessionId);
    await recordAudit(tx, actorOf(context), {
      action: 'password.changed',
      subject: user.id,
      detail: { sessions_ended: ended.get('sessions') ?? 0 },
    });
  });
  return { message: 'Your password was changed. Other sessions have ended.' };
};

const isLanguage = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** Changes the given preferences. */
export const changePreferences = async (
  { sql, user }: UserContext,
  given: { readonly [K in keyof Preferences]?: Preferences[K] | undefined },
): Promise<Preferences> => {
  if (given.date_language !== undefined && !isLanguage(given.date_language)) {
    throw invalid('date_language', 'must be a language tag such as en-US');
  }
  const [row] = await sql<{ preferences: Record<string, unknown> }[]>`
    UPDATE users SET preferences = preferences || ${sql.json(withoutUndefined(given))}
     WHERE id = ${user.id} RETURNING preferences`;
  return preferencesOf(row?.preferences ?? {});
};

/** Valid sessions of the caller, newest first. */
export const listOwnSessions = ({ sql, user, sessionId }: UserContext): Promise<Session[]> =>
  sql<Session[]>`
    SELECT id, created_at, last_seen_at, address, user_agent, id = ${sessionId} AS is_current
      FROM sessions
     WHERE user_id = ${user.id} AND expires_at > now()
       AND last_seen_at > now() - make_interval(hours => ${sessionIdleHours})
     ORDER BY created_at DESC, id DESC`;

export const endOwnSession = async (context: UserContext, id: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    if (!(await endSession(tx, context.user.id, id))) throw notFound('Session');
    await recordAudit(tx, actorOf(context), { action: 'session.ended', subject: id });
    return { message: 'The session has ended.' };
  });
