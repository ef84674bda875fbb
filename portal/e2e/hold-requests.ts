import { EventEmitter, once } from 'node:events';
import type { Page, Route } from 'playwright-core';

/**
 * Holds every request to an address until the returned function is called, to check a page that waits for it.
 * @param answer what happens to them afterwards; by default they continue to the server
 */
export const holdRequests = async (
  page: Page,
  address: string,
  answer: (route: Route) => Promise<void> = (route) => route.continue(),
): Promise<() => void> => {
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  await page.route(address, async (route) => {
    await opened;
    await answer(route);
  });
  return () => gate.emit('open');
};
