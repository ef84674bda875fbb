import { serial } from '@roastery/runtime/turns';
import { databaseOn, type Database, type PoolWay, type Way } from './statements.ts';

/**
 * The same database, but every statement is sent on its turn, also within transactions, in the order in which they are awaited.
 */
export const yieldingDatabase = ({ way }: Database, turn: () => Promise<unknown>): Database => {
  const inTurn = serial();
  const yielding = <Yielding extends Way>(to: Yielding): Yielding => ({
    ...to,
    send: async (statement) => {
      await inTurn(turn);
      return to.send(statement);
    },
  });
  return databaseOn({
    ...yielding(way),
    begin: (options, work) => way.begin(options, (tx) => work(yielding(tx))),
  });
};

export interface TransactionGuard {
  /** Why the transaction must not continue; undefined while it may. */
  readonly ended: () => Error | undefined;
  /** The error with which an ended transaction leaves `begin`. It makes the driver roll back. */
  readonly leave: (error: Error) => Promise<never>;
}

/** Transactions that send no further statement and never commit once the guard reports that they ended. */
export const guardedBegin =
  (begin: PoolWay['begin'], { ended, leave }: TransactionGuard): PoolWay['begin'] =>
  (options, work) =>
    begin(options, async (tx) => {
      const send: Way['send'] = async (statement) => {
        const error = ended();
        if (error !== undefined) throw error;
        return tx.send(statement);
      };
      try {
        return await work({ ...tx, send });
      } finally {
        const error = ended();
        if (error !== undefined) await leave(error);
      }
    });

/** The same database with guarded transactions. */
export const guardTransactions = ({ way }: Database, guard: TransactionGuard): Database =>
  databaseOn({ ...way, begin: guardedBegin(way.begin, guard) });
