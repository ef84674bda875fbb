import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { boardVersionShape } from './mqtt.ts';
import { idShape } from './shapes.ts';

/** Boards of machines in use. */
export const boardUpdatesShape = z.object({
  /** The version that this server has for boards; null where it has none. */
  version: z.string().nullable(),
  boards: z.number().int(),
  /** Boards that already run `version`. */
  updated: z.number().int(),
  /** Other boards that can be ordered to update now. */
  ready: z.number().int(),
  /** Other boards that accept no orders: their agent is too old or not installed as a package. */
  by_hand: z.number().int(),
  /** Open orders to update to `version`. */
  under_way: z.number().int(),
  turned_back: z.number().int(),
  failed: z.number().int(),
});
export type BoardUpdates = z.infer<typeof boardUpdatesShape>;

const endpoint = endpointsOf('Fleet', 'admin');
const common = { response: boardUpdatesShape } as const;

export const getBoardUpdates = endpoint({
  ...common,
  name: 'getBoardUpdates',
  method: 'GET',
  path: '/admin/board-updates',
  summary: 'How many boards run the version of this server, and the progress of the requested updates',
});

const machineIdsShape = z.array(idShape).min(1).max(500);

export const orderBoardUpdates = endpoint({
  ...common,
  name: 'orderBoardUpdates',
  method: 'POST',
  path: '/admin/board-updates',
  summary:
    'Request boards to download and install the version of this server: these boards, a tenth of the rest, or all',
  body: z.object({
    /** The version that the page showed. If the server has another one by then, the answer is a conflict. */
    version: boardVersionShape,
    boards: z.union([z.enum(['tenth', 'all']), machineIdsShape]),
  }),
  errors: ['conflict'],
});

export const withdrawBoardUpdates = endpoint({
  ...common,
  name: 'withdrawBoardUpdates',
  method: 'POST',
  path: '/admin/board-updates/withdrawals',
  summary: 'Withdraw update requests; a board that is already installing or trying the version continues',
  body: z.object({ boards: z.union([z.literal('all'), machineIdsShape]) }),
});
