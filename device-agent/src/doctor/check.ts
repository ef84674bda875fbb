import type { RunningAgent } from '../running-agent.ts';
import type { BoardUnderCheck } from './board-under-check.ts';

/** The result of one check. With a warning the board still records; a failure needs action. */
export type Verdict =
  | { readonly outcome: 'good'; readonly says: string }
  | { readonly outcome: 'warning' | 'trouble'; readonly says: string; readonly todo: string }
  /** Not checked; the reason names another check. */
  | { readonly outcome: 'skipped'; readonly says: string };

export const good = (says: string): Verdict => ({ outcome: 'good', says });
export const warning = (says: string, todo: string): Verdict => ({ outcome: 'warning', says, todo });
export const trouble = (says: string, todo: string): Verdict => ({ outcome: 'trouble', says, todo });
export const skipped = (says: string): Verdict => ({ outcome: 'skipped', says });

export interface Check {
  readonly name: string;
  readonly run: (board: BoardUnderCheck) => Promise<Verdict>;
}

/** Why the agent, which owns the line, can't be queried. */
export const withoutPage = (agent: Extract<RunningAgent, { kind: 'unseen' | 'unknown' }>): string => {
  if (agent.kind === 'unknown' || agent.page === 'silent') return 'its status page does not answer';
  return agent.page === 'off' ? 'its status page is off' : 'it has just started';
};

export const notConfigured = skipped('the board is not configured yet');
