import type { Cancel, Clock } from '@roastery/runtime/clock';
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

export interface AnswerWatch {
  readonly clock: Clock;
  /** The server itself ends a statement after this long. 0: never, and the watch does nothing. */
  readonly statementTimeoutMs: number;
  /** Called when an answer is overdue by 5 to 10 s. */
  readonly onSilent: () => void;
}

const tickMs = 5000;

/** What is sent over one connection, and for how long no answer has come. */
const createLine = () => {
  let unanswered = 0;
  let silentTicks = 0;
  const asked = (): void => {
    unanswered += 1;
  };
  const answered = (): void => {
    unanswered -= 1;
    silentTicks = 0;
  };
  return {
    asked,
    answered,
    async until<Answer>(answer: Promise<Answer>): Promise<Answer> {
      asked();
      try {
        return await answer;
      } finally {
        answered();
      }
    },
    /** Returns since how many ticks it is watched and waits for an answer. */
    tick: (isWatched: boolean): number => (silentTicks = isWatched && unanswered > 0 ? silentTicks + 1 : 0),
  };
};

/**
 * Notices a connection that is dead but not closed, as behind a router that restarted: TCP would wait for a quarter of an hour.
 * Each transaction is watched for itself, and what is sent outside of them while none is open: else it may wait for a free connection.
 */
export const watchAnswers = (
  { begin, send }: Pick<PoolWay, 'begin' | 'send'>,
  { clock, statementTimeoutMs, onSilent }: AnswerWatch,
): Pick<PoolWay, 'begin' | 'send'> & { readonly stop: Cancel } => {
  // Ticks are counted, because a blocked event loop has not read the answers that are there.
  const maxSilentTicks = statementTimeoutMs === 0 ? Infinity : Math.ceil(statementTimeoutMs / tickMs) + 2;
  const outside = createLine();
  const transactions = new Set<ReturnType<typeof createLine>>();
  const tick = (): void => {
    const silent = [outside.tick(transactions.size === 0), ...Array.from(transactions, (inside) => inside.tick(true))];
    if (Math.max(...silent) >= maxSilentTicks) onSilent();
  };
  return {
    stop: clock.every(tickMs, tick, { keepsAlive: false }),
    send: (statement) => outside.until(send(statement)),
    begin: async (options, work) => {
      const inside = createLine();
      let isBegun = false;
      outside.asked();
      try {
        return await begin(options, async (tx) => {
          isBegun = true;
          outside.answered();
          transactions.add(inside);
          try {
            return await work({ ...tx, send: (statement) => inside.until(tx.send(statement)) });
          } finally {
            // The commit or the rollback.
            inside.asked();
          }
        });
      } finally {
        if (!isBegun) outside.answered();
        transactions.delete(inside);
      }
    },
  };
};
