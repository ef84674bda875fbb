import { join } from 'node:path';
import type { DeviceStatus, JournalEvent } from '@roastery/contract/mqtt';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import type { RoastPlan } from '@roastery/contract/roast-plan';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import { readFileIfThere, writeFileAtomically } from '../atomic-file.ts';
import type { RecordedPast } from '../core/replay.ts';
import { emptyPlanBook, planBookShape, resumed, withCharge, withEnd, withPlans, type PlanBook } from './plan-book.ts';

export const planFile = (dataDir: string): string => join(dataDir, 'plans.json');

/** The plans stored on this board. An invalid file counts as empty: the server sends its plans again. */
export const readPlanBook = async (dataDir: string): Promise<{ book: PlanBook; trouble: string | undefined }> => {
  let text: string | undefined;
  try {
    text = await readFileIfThere(planFile(dataDir));
  } catch (error) {
    return { book: emptyPlanBook, trouble: error instanceof Error ? error.message : String(error) };
  }
  if (text === undefined) return { book: emptyPlanBook, trouble: undefined };
  const parsed = parseJson(planBookShape, text);
  return parsed.success
    ? { book: parsed.data, trouble: undefined }
    : { book: emptyPlanBook, trouble: describeRefusal(parsed) };
};

/** The plan that the journal names for a roast; undefined if its beginning is too far back. */
const planInJournal = (past: RecordedPast, roastId: string | null): string | undefined => {
  for (const entry of past.entries) {
    if (entry.kind === 'event' && entry.event.type === 'roast' && entry.event.roast_id === roastId) {
      if (entry.event.plan_id !== undefined) return entry.event.plan_id;
    }
  }
  return undefined;
};

export interface PlanStoreParts {
  readonly dataDir: string;
  readonly log: Logger;
  /** The plans have changed. */
  readonly changed: () => void;
}

/**
 * Keeps the plans of this machine on the board's disk, so that a charge also takes its plan without a network. It
 * stores plans only: nothing is written to the machine.
 */
export const openPlanStore = async ({ dataDir, log, changed }: PlanStoreParts) => {
  const kept = await readPlanBook(dataDir);
  if (kept.trouble !== undefined) log.warn({ reason: kept.trouble }, 'plans: stored file ignored');
  let { book } = kept;
  let onDisk = JSON.stringify(book);
  const inTurn = serial();
  /** Charges retracted in this push of the recorder. */
  const takenBack = new Set<string>();

  const write = async (): Promise<void> => {
    const text = JSON.stringify(book);
    if (text === onDisk) return;
    await writeFileAtomically(planFile(dataDir), `${text}\n`);
    onDisk = text;
  };
  const change = (next: PlanBook): void => {
    if (JSON.stringify(next) === JSON.stringify(book)) return;
    book = next;
    inTurn(write).catch((error: unknown) => log.error({ err: error }, 'plans: write failed'));
    changed();
  };

  return {
    /** Plans from the server; an empty list removes all waiting ones. */
    received(plans: readonly RoastPlan[], runningRoastId: string | null): void {
      change(withPlans(book, plans, runningRoastId));
      log.info({ waiting: book.waiting.map(({ id }) => id), running: book.running?.plan.id ?? null }, 'plans: changed');
    },
    resume(past: RecordedPast, roastId: string | null): void {
      change(resumed(book, roastId, planInJournal(past, roastId)));
    },
    /** An event on its way into the journal: a charge takes a plan and names it, an end releases it. */
    follow(event: JournalEvent): JournalEvent {
      if (event.type === 'mark' && event.kind === 'charge') {
        if (event.at_mono === null) takenBack.add(event.roast_id);
        else takenBack.delete(event.roast_id);
      }
      if (event.type !== 'roast') return event;
      if (event.state === 'in_progress') {
        change(withCharge(book, event.roast_id));
        return book.running === null ? event : { ...event, plan_id: book.running.plan.id };
      }
      change(withEnd(book, event.roast_id, takenBack.delete(event.roast_id)));
      return event;
    },
    /** The plan in use, and its roast. */
    running: (): PlanBook['running'] => book.running,
    /** The plan of the next charge. */
    next: (): RoastPlan | undefined => book.waiting[0],
    status(): DeviceStatus['plan'] {
      const plan = book.running?.plan ?? book.waiting[0];
      if (plan === undefined) return null;
      return { id: plan.id, roast_id: book.running?.roastId ?? null, recipe_revision: plan.recipe?.revision ?? null };
    },
    settled: inTurn.settled,
  };
};
export type PlanStore = Awaited<ReturnType<typeof openPlanStore>>;
