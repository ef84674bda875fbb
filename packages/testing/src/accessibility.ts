import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** One rule of axe-core that a page breaks, with the elements that break it. */
export interface AccessibilityFinding {
  rule: string;
  impact: 'minor' | 'moderate' | 'serious' | 'critical';
  help: string;
  /** CSS selectors of the elements. */
  elements: string[];
}

interface AxeResult {
  violations: {
    id: string;
    impact: AccessibilityFinding['impact'] | null;
    help: string;
    nodes: { target: unknown[] }[];
  }[];
}

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const axeSource = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** For a page that is checked often: every document it opens has axe-core from the start. */
export const keepAxe = (page: Page): Promise<unknown> => page.addInitScript({ path: axeSource });

/**
 * Runs axe-core in the page. The source is evaluated, not added as a script element, so a strict Content-Security-Policy
 * stays in force.
 */
const findingsOf = async (page: Page, runOnly: object, within?: string): Promise<AccessibilityFinding[]> => {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    await page.evaluate(await readFile(axeSource, 'utf8'));
  }
  // Loading every stylesheet and sound beforehand takes as long as the rules; none of these rules reads stylesheets,
  // and no page plays sounds by an element.
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'], preload: false });
  const context = within === undefined ? 'document' : JSON.stringify(within);
  const result = await page.evaluate<AxeResult>(`axe.run(${context}, ${options})`);
  return result.violations.map(({ id, impact, help, nodes }) => ({
    rule: id,
    impact: impact ?? 'serious',
    help,
    elements: nodes.map(({ target }) => target.join(' ')),
  }));
};

/**
 * Everything axe-core finds against WCAG 2.0-2.2, levels A and AA, and against its own best practices.
 * @param within only in elements of this selector, of which there must be one
 */
export const accessibilityFindings = (page: Page, within?: string): Promise<AccessibilityFinding[]> =>
  findingsOf(page, { type: 'tag', values: [...wcag, 'best-practice'] }, within);

/** What axe-core finds serious or critical (WCAG 2.0-2.2, levels A and AA). */
export async function seriousAccessibilityFindings(page: Page): Promise<AccessibilityFinding[]> {
  const findings = await findingsOf(page, { type: 'tag', values: wcag });
  return findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
}
