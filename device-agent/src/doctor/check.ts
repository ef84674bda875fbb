import type { BoardUnderCheck } from './board-under-check.ts';

/** What one check found. A warning lets the board record; trouble has to be mended. */
export type Verdict =
  | { readonly outcome: 'good'; readonly says: string }
  | { readonly outcome: 'warning' | 'trouble'; readonly says: string; readonly todo: string }
  /** It could not be looked at, because of something that another check says. */
  | { readonly outcome: 'skipped'; readonly says: string };

export const good = (says: string): Verdict => ({ outcome: 'good', says });
export const warning = (says: string, todo: string): Verdict => ({ outcome: 'warning', says, todo });
export const trouble = (says: string, todo: string): Verdict => ({ outcome: 'trouble', says, todo });
export const skipped = (says: string): Verdict => ({ outcome: 'skipped', says });

export interface Check {
  readonly name: string;
  readonly look: (board: BoardUnderCheck) => Promise<Verdict>;
}

export const notConfigured = skipped('the board is not configured yet');
