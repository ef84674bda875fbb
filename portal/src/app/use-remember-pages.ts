import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';
import { rememberPage } from '../api/recent-pages.ts';
import { useUser } from '../api/session.tsx';

/** Pages of one record. Lists and forms for new records have their own items in the palette. */
const recordPage = /^\/(?:roasts|recipes|roasts\/blends|inventory\/lots)\/[\da-f-]{36}(?:\/edit)?$/;
/** A page counts as visited after this time; by then it has its title. */
const stayMs = 800;

/** Stores the opened records, for the palette. */
export const useRememberPages = (): void => {
  const { id } = useUser();
  const { pathname } = useLocation();
  useEffect(() => {
    if (!recordPage.test(pathname)) return undefined;
    const timer = setTimeout(() => {
      const title = document.title.replace(/ · Roasting Management$/, '');
      rememberPage(id, { path: pathname, title });
    }, stayMs);
    return () => clearTimeout(timer);
  }, [id, pathname]);
};
