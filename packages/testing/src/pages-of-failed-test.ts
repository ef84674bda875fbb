import { afterEach } from 'vitest';
import { looksOfOpenPages, takeLooksOfClosedPages } from './browser.ts';

// A setup file of Vitest: what was on the screen tells why a test waited in vain.
afterEach(async ({ task: { result } }) => {
  const looks = takeLooksOfClosedPages();
  if (result?.state !== 'fail') return;
  looks.push(...(await looksOfOpenPages()));
  for (const error of result.errors ?? []) error.message = [error.message, ...looks].join('\n\n');
});
