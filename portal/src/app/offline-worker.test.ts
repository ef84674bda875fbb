import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';

type Listener = (event: object) => void;

/** The worker in its own scope, with a record of its calls to the browser. */
const runWorker = (openPages: readonly string[]) => {
  const listeners = new Map<string, Listener>();
  const shown: unknown[] = [];
  const opened: string[] = [];
  const focused: string[] = [];
  const clients = {
    matchAll: async () => openPages.map((url) => ({ url, focus: async () => void focused.push(url) })),
    openWindow: async (url: string) => void opened.push(url),
  };
  const registration = {
    showNotification: async (title: string, options: object) => void shown.push([title, options]),
  };
  const self = {
    addEventListener: (type: string, listener: Listener) => listeners.set(type, listener),
    clients,
    registration,
  };
  const text = readFileSync(new URL('../../build/offline-worker.js', import.meta.url), 'utf8');
  runInContext(text, createContext({ self, URL, shellName: 'shell', shellFiles: [] }));
  const dispatch = async (type: string, event: object): Promise<void> => {
    const waited: Promise<unknown>[] = [];
    listeners.get(type)?.({ ...event, waitUntil: (work: Promise<unknown>) => waited.push(work) });
    await Promise.all(waited);
  };
  return { dispatch, shown, opened, focused };
};

const url = '/machines/one/live';

it('worker: shows a pushed alarm, also one that it can’t read', async () => {
  const worker = runWorker([]);
  const alarm = { title: 'Probat P25', body: 'Open the air now', tag: 'alarm', url };
  await worker.dispatch('push', { data: { json: () => alarm } });
  await worker.dispatch('push', { data: null });
  expect(worker.shown).toMatchObject([
    ['Probat P25', { body: 'Open the air now', tag: 'alarm', data: { url } }],
    ['Alarm', { data: { url: '/' } }],
  ]);
});

it('worker: opens the live view of a tapped alarm, or shows the page that has it', async () => {
  let isClosed = false;
  const event = { notification: { data: { url }, close: () => (isClosed = true) } };
  const without = runWorker(['https://roastery.example/dashboard']);
  await without.dispatch('notificationclick', event);
  expect([without.opened, without.focused, isClosed]).toEqual([[url], [], true]);
  const page = `https://roastery.example${url}`;
  const withPage = runWorker([page]);
  await withPage.dispatch('notificationclick', event);
  expect([withPage.opened, withPage.focused]).toEqual([[], [page]]);
});
