import postgres from 'postgres';

/** Connection states of the driver, and temporary SQLSTATEs: cancelled, starting, stopping, read only, full, too many connections. */
const temporaryCodes = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'COMMIT_UNCONFIRMED',
  '57P01',
  '57P02',
  '57P03',
  '57014',
  '25006',
  '25P03',
  '53000',
  '53100',
  '53200',
  '53300',
]);
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);
/** A missing file is ENOENT too. */
const socketCalls = new Set(['connect', 'read', 'write', 'getaddrinfo']);
const syscallOf = (error: object): unknown => ('syscall' in error ? error.syscall : undefined);

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Postgres cannot be reached or is temporarily unable to work; the same call may succeed later. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error)) return false;
  if (socketCodes.has(code)) return socketCalls.has(String(syscallOf(error)));
  return temporaryCodes.has(code) || (error instanceof postgres.PostgresError && code.startsWith('08'));
};

/** A statement or its wait for a lock timed out: a smaller statement, or a retry later, may succeed. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && ['57014', '55P03'].includes(error.code);

/** The server is unavailable; a timeout is a fault of one statement only. */
export const isConnectionLost = (error: unknown): boolean => isDatabaseUnavailable(error) && !isTooSlow(error);

/** Processes each row separately: a failing one does not stop the others. Throws its error at the end. */
export const forEachRow = async <T>(rows: readonly T[], work: (row: T) => Promise<unknown>): Promise<void> => {
  const errors: unknown[] = [];
  for (const row of rows) {
    try {
      await work(row);
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
};

/**
 * Whether the same data always fails: data exception, constraint, program limit, or an error of our own code. Other errors of
 * Postgres are temporary or depend on the server.
 */
export const isFaultOfData = (error: unknown): boolean =>
  error instanceof postgres.PostgresError ? /^(?:21|22|23|54)/.test(error.code) : !isDatabaseUnavailable(error);

const statementLength = 300;
/** The statement that failed, without its values. */
export const statementOf = (error: unknown): string | undefined =>
  error instanceof postgres.PostgresError && 'query' in error && typeof error.query === 'string'
    ? error.query.replaceAll(/\s+/g, ' ').trim().slice(0, statementLength)
    : undefined;

/**
 * A value that Postgres cannot store or read (class 22): NUL in a text, a year outside its calendar, a number out of
 * range; or one that fails a check of its column (23514), such as a weight that the column rounds to 0.
 */
export const isUnstorableValue = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && (error.code.startsWith('22') || error.code === '23514');

/**
 * Two transactions collided: serialisation failure, deadlock, or one deleted a row that the other refers to. A retry
 * sees the current state.
 */
export const isCollision = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && ['40001', '40P01', '23503'].includes(error.code);

/** A unique index refused the row; `index` limits it to one index. */
export const isTaken = (error: unknown, index?: string): boolean =>
  error instanceof postgres.PostgresError &&
  error.code === '23505' &&
  (index === undefined || error.constraint_name === index);

/** The part of a Postgres error that may be logged: its `detail` can hold whole rows. */
export const loggable = (error: unknown): object =>
  error instanceof postgres.PostgresError
    ? {
        err: {
          type: 'PostgresError',
          message: error.message,
          code: error.code,
          constraint: error.constraint_name,
          table: error.table_name,
          stack: error.stack,
        },
      }
    : { err: error };
