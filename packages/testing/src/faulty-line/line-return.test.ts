import { describe, expect, it } from 'vitest';
import { cutsMs, returnCases, returnsOf } from './line-return.ts';

describe('line return: a machine is read within 5 s after its line is back, in virtual time', () => {
  it.each(returnCases)('$kind, $layout, $how', async (line) => {
    // More seeds: line-return.endurance.test.ts.
    const returns = await returnsOf(line, [1]);
    expect(returns).toHaveLength(cutsMs.length);
    expect(Math.max(...returns)).toBeLessThan(5000);
  });
});
