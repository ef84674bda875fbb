import { CSPProvider } from '@base-ui/react/csp-provider';
import type { SessionUser } from '@roastery/contract/auth';
import { configure } from '@testing-library/dom';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router-dom';
import { SWRConfig } from 'swr';
import { expect, vi } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { beginSession } from '../api/call.ts';
import { reportStatus } from '../api/reachability.ts';
import { beginSessionCheck, SessionProvider } from '../api/session.tsx';
import { forgetAll } from '../api/answers.ts';
import { createRouter } from '../app/routes.tsx';
import { swrConfig } from '../app/swr-config.ts';
import { useOwnFormats } from '../format/preferences.ts';
import { closeToast, currentToasts } from '../ui/toast.ts';
import { ana } from './records.ts';
import { smallRoastery } from './small-roastery.ts';
import { TableServer, type Answer } from './table-server.ts';

// Without style sheets only attributes hide an element, and to find out costs more than the rest of a query.
configure({
  defaultHidden: true,
  asyncUtilTimeout: 30_000,
  // A query that waits fails often before it succeeds: the whole document in each message costs more than the page.
  getElementError: (message) => new Error(message ?? 'not found'),
});

export interface OpenedPortal {
  readonly server: TableServer;
  readonly user: UserEvent;
  /** Failed requests that were written to the log. */
  readonly logged: readonly string[];
  /** Replaces the text of a field in one step, as a paste does. */
  readonly fill: (field: HTMLElement, text: string) => Promise<void>;
}

export interface PortalOptions {
  /** Null: signed out. */
  readonly as?: SessionUser | null;
  readonly answers?: readonly Answer[];
  /** As for a person: a read within 2 s of the same one takes its answer. Otherwise an answer of one test is none for the next. */
  readonly dedupes?: true;
}

const OwnFormats = ({ children }: { children: ReactNode }) => {
  useOwnFormats();
  return children;
};

let opened: { readonly faults: () => string[]; readonly close: () => void } | undefined;

/**
 * Shows the portal at an address, in a document without layout. The api is a table of answers; a request without an
 * answer, one that the contract refuses, and an error on the console fail the test.
 */
export const openPortal = async (
  address: string,
  { as = ana, answers = [], dedupes }: PortalOptions = {},
): Promise<OpenedPortal> => {
  await closePortal();
  const server = new TableServer([...smallRoastery(as), ...answers]);
  const logged: string[] = [];
  const complaints: string[] = [];
  vi.stubGlobal('fetch', server.fetch);
  vi.spyOn(console, 'error').mockImplementation((...given: unknown[]) => {
    const list = given.some((one) => one instanceof ApiError) ? logged : complaints;
    list.push(given.map(String).join(' '));
  });
  history.replaceState(null, '', address);
  beginSessionCheck();
  const router = createRouter();
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  root.render(
    <CSPProvider disableStyleElements>
      <SWRConfig value={dedupes ? swrConfig : { ...swrConfig, dedupingInterval: 0 }}>
        <SessionProvider>
          <OwnFormats>
            <RouterProvider router={router} />
          </OwnFormats>
        </SessionProvider>
      </SWRConfig>
    </CSPProvider>,
  );
  const portal: OpenedPortal = {
    server,
    user,
    logged,
    fill: async (field, text) => {
      await user.clear(field);
      if (text !== '') await user.paste(text);
    },
  };
  opened = {
    faults: () => [...server.faults, ...complaints],
    close: () => {
      root.unmount();
      server.close();
      router.dispose();
      document.body.replaceChildren();
    },
  };
  const isShown = () => server.isHolding || document.querySelector('main') !== null;
  await expect
    .poll(() => router.state.navigation.state === 'idle' && server.isIdle && isShown(), { interval: 10 })
    .toBe(true);
  return portal;
};

/** Closes the portal and forgets what it stored; fails if it complained. After each test. */
export const closePortal = async (): Promise<void> => {
  if (opened === undefined) return;
  const { faults, close } = opened;
  opened = undefined;
  close();
  beginSession();
  await forgetAll();
  for (const { id } of currentToasts()) closeToast(id);
  localStorage.clear();
  sessionStorage.clear();
  reportStatus(200);
  vi.restoreAllMocks();
  expect(faults()).toEqual([]);
};

/** The text of an element as a person reads it, in one line. */
export const textOf = (element: Element): string => {
  const texts: string[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '');
  return texts.join(' ').replaceAll(/\s+/g, ' ').trim();
};
