import { usualConfigDir } from '../board-files.ts';
import type { Verdict } from '../doctor/check.ts';
import { examineBoard, type Examination } from '../doctor/examination.ts';

const signs = { good: '✓', warning: '!', trouble: '✗', skipped: '–' } as const;
const colours = { good: 32, warning: 33, trouble: 31, skipped: 90 } as const;
const labelWidth = 14;

/** The output of one check: a symbol, the finding, and below it an instruction. */
export const verdictLines = (check: string, verdict: Verdict, coloured: boolean): string => {
  const sign = coloured
    ? `\u001B[${colours[verdict.outcome]}m${signs[verdict.outcome]}\u001B[0m`
    : signs[verdict.outcome];
  const line = `${sign} ${check.padEnd(labelWidth)} ${verdict.says}\n`;
  return 'todo' in verdict ? `${line}  ${' '.repeat(labelWidth)} → ${verdict.todo}\n` : line;
};

export const summary = ({ checks }: Pick<Examination, 'checks'>): string => {
  const count = (outcome: Verdict['outcome']): number => checks.filter((check) => check.outcome === outcome).length;
  const [wrong, warnings] = [count('trouble'), count('warning')];
  const unseen = checks.filter(({ outcome }) => outcome === 'skipped').map(({ check }) => check);
  if (wrong === 0 && unseen.length > 0)
    return `No problems found, but these checks could not run (–): ${unseen.join(', ')}.`;
  if (wrong === 0) return warnings === 0 ? 'All checks passed.' : `No problems. Warnings (!): ${warnings}.`;
  return `Problems (✗): ${wrong}. Start at the top: later problems often follow from the first.`;
};

/** Examines this board. Returns the exit code: 0 everything was checked and needs no action, 1 otherwise. */
export const doctor = async (configDir: string = usualConfigDir, asJson = false): Promise<number> => {
  const coloured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  const examination = await examineBoard(configDir, process.env, (check, verdict) => {
    if (!asJson) process.stdout.write(verdictLines(check, verdict, coloured));
  });
  process.stdout.write(asJson ? `${JSON.stringify(examination, null, 2)}\n` : `\n${summary(examination)}\n`);
  return examination.healthy ? 0 : 1;
};
