import { EventEmitter, once } from 'node:events';
import type { Page, Route } from 'playwright-core';

/**
 * Keeps every request to an address waiting until the returned function is called, to see what a page shows while it waits.
 * @param answer what then happens to them; by default they go on to the server
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
