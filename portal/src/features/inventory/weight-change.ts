/** How an adjustment is entered: what the scale shows now, or what came in or went out. */
export type AdjustMode = 'weighed' | 'change';

/** The ledger keeps milligrams; floats must not add dust below that. */
const toMilligrams = (kg: number): number => Math.round(kg * 1e6) / 1e6;

/** kg to put into the ledger; null while the field holds no number. */
export const weightChange = (mode: AdjustMode, entered: string, currentKg: number): number | null => {
  if (entered.trim() === '') return null;
  const kg = Number(entered);
  if (!Number.isFinite(kg)) return null;
  return toMilligrams(mode === 'weighed' ? kg - currentKg : kg);
};

/** What keeps a change from being saved, in the contract's words; null when it may be. */
export const changeProblem = (kg: number | null): string | null => {
  if (kg === null) return 'Enter a weight';
  if (kg === 0) return 'Enter a weight other than 0';
  if (Math.abs(kg) > 1_000_000) return 'This is more than a lot can hold';
  return null;
};
