import type postgres from 'postgres';
import { serial } from '@roastery/runtime/turns';
import type { Database } from './sql.ts';

type Work = (tx: postgres.TransactionSql) => unknown;
/** The driver sends a statement in `handle`, which `await` calls. A fragment of another statement is never sent itself. */
interface Sendable {
  handle(): unknown;
}

const isSendable = (value: unknown): value is Sendable =>
  typeof value === 'object' && value !== null && 'handle' in value && typeof value.handle === 'function';

const bound = (target: object, key: PropertyKey): unknown => {
  const value: unknown = Reflect.get(target, key);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
};

/**
 * The same database, but every statement is sent on its turn, also within transactions, in the order in which they are awaited.
 */
export const yieldingDatabase = (sql: Database, turn: () => Promise<unknown>): Database => {
  const inTurn = serial();
  const delayed = (query: unknown): unknown => {
    if (!isSendable(query)) return query;
    const send = query.handle.bind(query);
    let sent: Promise<unknown> | undefined;
    query.handle = () => (sent ??= inTurn(turn).then(send));
    return query;
  };
  const yielding = <Target extends postgres.ISql>(target: Target, begin?: unknown): Target =>
    new Proxy(target, {
      apply: (called, _self, args: unknown[]): unknown => delayed(Reflect.apply(called, undefined, args)),
      get: (owner, key) => (key === 'begin' && begin !== undefined ? begin : bound(owner, key)),
    });
  const begin = (...args: (string | Work)[]): unknown => {
    const given = args.map((arg) =>
      typeof arg === 'string' ? arg : (tx: postgres.TransactionSql) => arg(yielding(tx)),
    );
    const original = bound(sql, 'begin');
    return typeof original === 'function' ? Reflect.apply(original, undefined, given) : undefined;
  };
  return yielding(sql, begin);
};
