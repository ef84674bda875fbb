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

/**
 * Runs axe-core in the page and answers what it finds serious or critical (WCAG 2.0-2.2, levels A and AA).
 * The source is evaluated, not added as a script element, so a strict Content-Security-Policy stays in force.
 */
export async function seriousAccessibilityFindings(page: Page): Promise<AccessibilityFinding[]> {
  const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await page.evaluate(await readFile(source, 'utf8'));
  const result = await page.evaluate<AxeResult>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })`,
  );
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, help, nodes }) => ({
      rule: id,
      impact: impact ?? 'serious',
      help,
      elements: nodes.map(({ target }) => target.join(' ')),
    }));
}
