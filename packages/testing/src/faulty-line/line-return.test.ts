import { describe, expect, it } from 'vitest';
import { cutsMs, returnCases, returnsOf } from './line-return.ts';

describe('line return: a machine is read within 5 s after its line is back, in virtual time', () => {
  it.each(returnCases)('$kind, $layout, $how', async (line) => {
    const returns = await returnsOf(line, [1, 2]);
    expect(returns).toHaveLength(2 * cutsMs.length);
    expect(Math.max(...returns)).toBeLessThan(5000);
  });
});
