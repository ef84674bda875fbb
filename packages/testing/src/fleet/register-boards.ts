import { hashToken } from '@roastery/api/http/secrets';
import { uuidV7 } from '@roastery/runtime/uuid';
import type postgres from 'postgres';

export const serialOf = (n: number): string => `FLEET-${n}`;

/** Registers boards by SQL, each with its serial number as its token. Returns the serial numbers. */
export const registerBoards = async (sql: postgres.Sql, boards: number): Promise<string[]> => {
  const owner = uuidV7();
  await sql`
    INSERT INTO users (id, full_name, email, password_hash) VALUES (${owner}, 'Bench', 'fleet@bench.example', 'x')`;
  const numbers = Array.from({ length: boards }, (_, n) => n);
  for (let from = 0; from < boards; from += 2_000) {
    const rows = numbers.slice(from, from + 2_000).map((n) => ({ n, id: uuidV7() }));
    await sql`INSERT INTO machines ${sql(
      rows.map(({ n, id }) => ({
        id,
        owner_id: owner,
        serial_number: serialOf(n),
        display_name: 'Bench',
        machine_type: 'RM15',
        max_capacity_kg: 15,
      })),
    )}`;
    await sql`INSERT INTO machine_credentials ${sql(
      rows.map(({ n, id }) => ({
        id: uuidV7(),
        machine_id: id,
        token_hash: hashToken(serialOf(n)),
        origin: 'registration',
      })),
    )}`;
  }
  return numbers.map(serialOf);
};
