import type { BoardUpdates } from '@roastery/contract/board-updates';
import { type DeviceStatus, statusShape, type UpdateOrderState } from '@roastery/contract/mqtt';
import type { Device } from '@roastery/contract/fleet';
import { parseShape } from '@roastery/contract/parse-shape';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudits } from '../../db/audit.ts';
import type { Sql } from '../../db/sql.ts';
import type { AppContext, UserContext } from '../../context.ts';
import { AppError } from '../../http/app-error.ts';
import { isOnline } from '../../identity/machines.ts';
import type { StoredOrder } from '../machine-maps/configure-machine.ts';
import { publishConfigs } from '../machine-maps/publish-configs.ts';

/** The order, and its progress according to the board. Progress of another order is obsolete. */
export const orderOf = (stored: StoredOrder | null, status: DeviceStatus | undefined): Device['order'] => {
  if (stored === null || stored.withdrawn) return null;
  const reported = status?.order?.id === stored.id ? status.order : undefined;
  return {
    version: stored.version,
    state: reported?.state ?? 'wanted',
    reason: reported?.reason ?? null,
    ordered_at: stored.at,
    ordered_by: stored.by,
  };
};

interface Row {
  readonly id: string;
  readonly serial_number: string;
  readonly status: unknown;
  readonly board_order: StoredOrder | null;
}
interface Board {
  readonly id: string;
  readonly serialNumber: string;
  readonly order: Device['order'];
  readonly stored: StoredOrder | null;
  readonly version: string | undefined;
  readonly update: DeviceStatus['update'];
  readonly takesOrders: boolean;
}

const ended: ReadonlySet<UpdateOrderState> = new Set(['done', 'turned_back', 'failed']);
/** Too late to withdraw it. */
const isOpen = (order: Device['order']): boolean => order !== null && !ended.has(order.state);

/** Boards of machines in use that have ever connected, online ones first. */
const readBoards = async (sql: Sql, lock: boolean): Promise<Board[]> => {
  if (lock) await sql`SELECT 1 FROM machines WHERE archived_at IS NULL ORDER BY id FOR NO KEY UPDATE`;
  const rows = await sql<Row[]>`
    SELECT m.id, m.serial_number, m.status, m.board_order FROM machines m
     WHERE m.archived_at IS NULL AND m.status IS NOT NULL
     ORDER BY NOT ${isOnline(sql)}, lower(m.display_name), m.id`;
  return rows.map(({ id, serial_number: serialNumber, status: stored, board_order: order }) => {
    const status = parseShape(statusShape, stored).data;
    return {
      id,
      serialNumber,
      order: orderOf(order, status),
      stored: order,
      version: status?.agent_version,
      update: status?.update,
      takesOrders: status?.order !== undefined,
    };
  });
};

/** It runs another version, and has no order for this one. */
const isReady = ({ takesOrders, version: runs, order }: Board, version: string): boolean =>
  takesOrders && runs !== version && !(isOpen(order) && order?.version === version);
/** This version failed on it: a retry requires that a person chooses this board. */
const wasTurnedBack = ({ order, update }: Board, version: string): boolean =>
  !isOpen(order) &&
  ((order?.state === 'turned_back' && order.version === version) ||
    (update?.state === 'turned_back' && update.installed === version));

export const readBoardUpdates = async ({
  sql,
  packages,
}: Pick<AppContext, 'sql' | 'packages'>): Promise<BoardUpdates> => {
  const version = packages?.about.version ?? null;
  const boards = await readBoards(sql, false);
  const others = boards.filter((board) => board.version !== version);
  const here = version ?? '';
  return {
    version,
    boards: boards.length,
    updated: boards.length - others.length,
    ready: version === null ? 0 : others.filter((board) => isReady(board, here) && !wasTurnedBack(board, here)).length,
    by_hand: others.filter(({ takesOrders }) => !takesOrders).length,
    under_way: boards.filter(({ order }) => isOpen(order)).length,
    turned_back: others.filter((board) => wasTurnedBack(board, here)).length,
    failed: others.filter(({ order }) => order?.state === 'failed' && order.version === version).length,
  };
};

const chosenOf = (
  boards: readonly Board[],
  which: 'tenth' | 'all' | readonly string[],
  all: number,
): readonly Board[] =>
  which === 'all'
    ? boards
    : which === 'tenth'
      ? boards.slice(0, Math.max(1, Math.ceil(all / 10)))
      : boards.filter(({ id }) => which.includes(id));

const changeOrders = async (
  tx: Sql,
  context: UserContext,
  boards: readonly Board[],
  action: string,
  orderFor: (board: Board) => StoredOrder,
): Promise<string[]> => {
  for (const board of boards) {
    await tx`UPDATE machines SET board_order = ${tx.json({ ...orderFor(board) })} WHERE id = ${board.id}`;
  }
  const events = boards.map((board) => ({
    action,
    subject: board.id,
    detail: { serial_number: board.serialNumber, version: orderFor(board).version },
  }));
  if (events.length > 0) await recordAudits(tx, actorOf(context), events);
  return boards.map(({ id }) => id);
};

/** Orders boards to install the version of this server's packages. Boards with an order in progress keep it. */
export const orderBoardUpdates = async (
  context: UserContext,
  { version, boards: which }: { version: string; boards: 'tenth' | 'all' | readonly string[] },
): Promise<BoardUpdates> => {
  if (context.packages?.about.version !== version)
    throw new AppError('conflict', 'This server now has a different version for boards. Reload the page.');
  const at = new Date().toISOString();
  const ids = await context.sql.begin(async (tx) => {
    const boards = await readBoards(tx, true);
    const isNamed = which !== 'tenth' && which !== 'all';
    const ready = boards.filter((board) => isReady(board, version) && (isNamed || !wasTurnedBack(board, version)));
    const chosen = chosenOf(ready, which, boards.length);
    if (chosen.length === 0) throw new AppError('conflict', 'None of these boards can be updated from the portal now.');
    return changeOrders(tx, context, chosen, 'board_update.ordered', () => ({
      id: uuidV7(),
      version,
      at,
      by: context.user.full_name,
    }));
  });
  await publishConfigs(context, ids);
  return readBoardUpdates(context);
};

/** Withdraws orders that have not ended. */
export const withdrawBoardUpdates = async (
  context: UserContext,
  which: 'all' | readonly string[],
): Promise<BoardUpdates> => {
  const ids = await context.sql.begin(async (tx) => {
    const open = (await readBoards(tx, true)).filter(({ order }) => isOpen(order));
    return changeOrders(tx, context, chosenOf(open, which, open.length), 'board_update.withdrawn', ({ stored }) => {
      if (stored === null) throw new Error('an open order that is not stored');
      return { ...stored, withdrawn: true };
    });
  });
  await publishConfigs(context, ids);
  return readBoardUpdates(context);
};
