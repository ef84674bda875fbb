import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { updateProgressShape, type BoardUpdate, type UpdateOrder, type UpdateProgress } from '@roastery/contract/mqtt';
import { parseShape } from '@roastery/contract/parse-shape';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import { readFileIfThere, writeFileAtomically } from '../atomic-file.ts';
import { readClaim, readUpdateState, valuesIn } from './update-state.ts';

const pollIntervalMs = 2000;

/** The record of `deploy/board/order` about the newest order. */
interface OrderResult {
  readonly order: UpdateOrder;
  readonly state: string;
  readonly reason: string | undefined;
}

const ofLauncher: Readonly<Record<BoardUpdate['state'], UpdateProgress['state']>> = {
  unfinished: 'fetching',
  waiting: 'waiting',
  on_trial: 'trial',
  good: 'done',
  turned_back: 'turned_back',
};

/** The progress of an order, from the records of the root part and the launcher. */
const progressOf = (
  order: UpdateOrder,
  result: OrderResult | undefined,
  update: BoardUpdate | undefined,
): UpdateProgress => {
  const progress = (state: string, reason?: string): UpdateProgress =>
    parseShape(updateProgressShape, { ...order, state, ...(reason === undefined ? {} : { reason }) }).data ?? {
      ...order,
      state: 'wanted',
    };
  if (result?.order.id !== order.id) return progress('wanted');
  if (result.state !== 'installed') return progress(result.state, result.reason);
  // Another one was installed since: this one is obsolete.
  if (update?.installed !== order.version) return progress('done');
  return progress(ofLauncher[update.state], update.reason);
};

const isOpen = ({ state }: UpdateProgress): boolean => ['wanted', 'waiting', 'fetching'].includes(state);

export interface UpdateOrderParts {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** The order has progressed. */
  readonly changed: () => void;
}

/**
 * Passes an update order to the root part of the package, as a request in the service's runtime directory, and follows
 * its progress. An agent that was not installed as a package has no such part and accepts no orders.
 */
export const createUpdateOrders = ({ env, log, changed }: UpdateOrderParts) => {
  const [folder, resultFile] = [env['RUNTIME_DIRECTORY'], env['ROASTERY_UPDATE_ORDER']];
  /** Undefined until the server has sent it. */
  let wanted: UpdateOrder | null | undefined;
  let shown = '';
  const inTurn = serial();

  const readResult = async (): Promise<OrderResult | undefined> => {
    const text = resultFile === undefined ? undefined : await readClaim(resultFile);
    if (text === undefined) return undefined;
    const { ORDER: id = '', VERSION: version = '', STATE: state = '', REASON: reason = '' } = valuesIn(text);
    return { order: { id, version }, state, reason: reason === '' ? undefined : reason.slice(0, 300) };
  };
  const progress = async (): Promise<UpdateProgress | null> => {
    const result = await readResult();
    const order = wanted === undefined ? result?.order : wanted;
    if (!order || parseShape(updateProgressShape, { ...order, state: 'wanted' }).data === undefined) return null;
    return progressOf(order, result, await readUpdateState(env));
  };
  const poll = async (): Promise<void> => {
    if (folder === undefined) return;
    const request = join(folder, 'update-request');
    const now = await progress();
    if (wanted === null) await rm(request, { force: true });
    if (wanted && now && isOpen(now)) {
      const text = `${wanted.id} ${wanted.version}`;
      if ((await readFileIfThere(request)) !== text) {
        log.info({ version: wanted.version }, 'update: requested');
        await writeFileAtomically(request, text);
      }
    }
    if (JSON.stringify(now) === shown) return;
    shown = JSON.stringify(now);
    changed();
  };
  const pollInTurn = (): void => {
    inTurn(poll).catch((error: unknown) => log.warn({ reason: String(error) }, 'update: request failed'));
  };
  const takesOrders = folder !== undefined && resultFile !== undefined;
  const timer = takesOrders ? setInterval(() => wanted && pollInTurn(), pollIntervalMs) : undefined;
  timer?.unref();

  return {
    /** The current order; undefined: none, or it was withdrawn. */
    received(order: UpdateOrder | undefined): void {
      if (!takesOrders) return;
      wanted = order ?? null;
      pollInTurn();
    },
    /** For the status; undefined on a board that accepts no orders. */
    progress: async (): Promise<UpdateProgress | null | undefined> => (takesOrders ? progress() : undefined),
    async close(): Promise<void> {
      clearInterval(timer);
      await inTurn.settled();
    },
  };
};
