import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';
import { useUser } from '../api/session.tsx';

export interface RecentPage {
  path: string;
  title: string;
}

/** Pages of one record. Lists and forms for new records have their own items in the palette. */
const recordPage = /^\/(?:roasts|recipes|roasts\/blends|inventory\/lots)\/[\da-f-]{36}(?:\/edit)?$/;
/** A page counts as visited after this time; by then it has its title. */
const stayMs = 800;
const most = 8;
const storageKey = (userId: string) => `recent-pages-${userId}`;

const isRecentPage = (value: unknown): value is RecentPage =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  'title' in value &&
  typeof value.path === 'string' &&
  typeof value.title === 'string';

/** The records opened last in this browser, newest first. */
export const recentPages = (userId: string): readonly RecentPage[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(userId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecentPage) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
};

/** The list with one more page on top of it. */
export const withPage = (pages: readonly RecentPage[], page: RecentPage): readonly RecentPage[] =>
  [page, ...pages.filter(({ path }) => path !== page.path)].slice(0, most);

/** Stores the opened records, for the palette. */
export const useRememberPages = (): void => {
  const { id } = useUser();
  const { pathname } = useLocation();
  useEffect(() => {
    if (!recordPage.test(pathname)) return undefined;
    const timer = setTimeout(() => {
      const title = document.title.replace(/ · Roasting Management$/, '');
      localStorage.setItem(storageKey(id), JSON.stringify(withPage(recentPages(id), { path: pathname, title })));
    }, stayMs);
    return () => clearTimeout(timer);
  }, [id, pathname]);
};
