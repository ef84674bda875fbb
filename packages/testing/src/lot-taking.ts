import { setTimeout as sleep } from 'node:timers/promises';
import { adjustLot, createLot, listLotMovements } from '@roastery/contract/inventory';
import type { RoasteryClient } from './roastery-client.ts';

const initialKg = 100_000;
const takenKg = 0.1;

/** What clients took from a lot. */
export interface Taken {
  readonly asked: number;
  readonly confirmed: number;
  /** In the ledger. */
  readonly stored: number;
  /** Movements by which the balance differs from those in the ledger, and these from what was asked and confirmed. */
  readonly wrong: number;
}

/** Lets clients take from a new lot, each without end and all at once, while apis are killed. */
export const startTaking = async (clients: readonly RoasteryClient[], { pauseMs = 0 }: { pauseMs?: number } = {}) => {
  const [first] = clients;
  if (first === undefined) throw new Error('no client takes');
  const lot = await first.call(createLot, {
    body: { lot_number: 'L-1', coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: initialKg },
  });
  const stopping = new AbortController();
  let confirmed = 0;
  let asked = 0;
  const take = async (client: RoasteryClient): Promise<void> => {
    while (!stopping.signal.aborted) {
      asked += 1;
      await client.call(adjustLot, { params: { id: lot.id }, body: { kg: -takenKg, note: 'Sample' } }).then(
        () => (confirmed += 1),
        // It was killed, or does not listen yet.
        () => sleep(50),
      );
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const taking = Promise.all(clients.map(take));
  const end = async (): Promise<void> => {
    stopping.abort();
    await taking;
  };
  return {
    /** When all apis run again. */
    async stop(): Promise<Taken> {
      await end();
      const { movements, total } = await first.call(listLotMovements, { params: { id: lot.id } });
      // The first movement is the initial weight.
      const stored = total - 1;
      // Rounded, since sums of tenths are not exact.
      const gone = Number(((initialKg - (movements[0]?.balance_kg ?? 0)) / takenKg).toFixed(3));
      // A request whose response was lost with its api may have been stored.
      const outside = Math.max(0, confirmed - stored, stored - asked);
      return { asked, confirmed, stored, wrong: Math.abs(gone - stored) + outside };
    },
    [Symbol.asyncDispose]: end,
  };
};
