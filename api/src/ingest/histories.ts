import type { DeviceStatus } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { historyRestoredChannel, publishStatements } from '../domains/devices/history-statements.ts';

/** Statements are repeated after so long: one may have been lost. */
const repeatMs = 6 * 3_600_000;
/** Boards per query. */
const maxBoardsPerQuery = 50;

interface KnownBoard {
  readonly session: string;
  readonly epochs: Set<string>;
}

/**
 * Answers each online board that lists streams in its status with the entries that the server holds of them: once for each stream
 * and session, and again for all after the database was unavailable.
 */
export const createHistories = ({ sql, mqtt, log }: { sql: Database; mqtt: MqttLink; log: Logger }) => {
  const boards = new Map<string, KnownBoard>();

  const state = async (held: { serialNumber: string; epochs: readonly string[] }[]): Promise<void> => {
    try {
      await publishStatements({ sql, mqtt }, held);
    } catch (error) {
      log.warn(loggable(error), 'history statement failed');
      // The board's next status is answered.
      for (const { serialNumber } of held) boards.delete(serialNumber);
    }
  };

  const restate = async (serials: readonly string[]): Promise<void> => {
    const all = serials.map((serialNumber) => ({
      serialNumber,
      epochs: [...(boards.get(serialNumber)?.epochs ?? [])],
    }));
    for (let from = 0; from < all.length; from += maxBoardsPerQuery)
      await state(all.slice(from, from + maxBoardsPerQuery));
  };
  const restateAll = (): void => void restate([...boards.keys()]);
  const timer = setInterval(restateAll, repeatMs);
  timer.unref();
  let hasListened = false;
  const listening = sql.listen(
    historyRestoredChannel,
    (serialNumber) => void restate([serialNumber]),
    () => {
      // The database may have been restored from a backup.
      if (hasListened) restateAll();
      hasListened = true;
    },
  );
  listening.catch((error: unknown) => log.warn(loggable(error), 'restore notifications unavailable'));

  return {
    /** Call with each stored status. */
    async onStatus(serialNumber: string, { online, session, history }: DeviceStatus): Promise<void> {
      if (!online) {
        if (boards.get(serialNumber)?.session === session) boards.delete(serialNumber);
        return;
      }
      const known = boards.get(serialNumber);
      const answered = known?.session === session ? known.epochs : new Set<string>();
      const listed = (history ?? []).map(({ epoch }) => epoch);
      boards.set(serialNumber, { session, epochs: new Set(listed) });
      const epochs = listed.filter((epoch) => !answered.has(epoch));
      if (epochs.length > 0) await state([{ serialNumber, epochs }]);
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await listening.then(
        (listener) => listener.unlisten(),
        () => undefined,
      );
    },
  };
};
export type Histories = ReturnType<typeof createHistories>;
