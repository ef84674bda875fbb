import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';

export interface LockedLot {
  readonly lot_number: string;
  readonly coffee_name: string;
  readonly initial_weight: number;
  readonly is_reserved: boolean;
  readonly revision: number;
}

/**
 * Holds the lot's row until the transaction ends; `delete` also keeps roasts and recipes from being linked to it meanwhile.
 * Throws `not_found` for one that is gone or archived.
 */
export const lockLot = async (tx: Sql, id: string, purpose: 'change' | 'delete' = 'change'): Promise<LockedLot> => {
  const [lot] = await tx<LockedLot[]>`
    SELECT lot_number, coffee_name, initial_weight, is_reserved, revision
      FROM lots WHERE id = ${id} AND archived_at IS NULL
       ${purpose === 'delete' ? tx`FOR UPDATE` : tx`FOR NO KEY UPDATE`}`;
  if (!lot) throw notFound('Lot');
  return lot;
};
