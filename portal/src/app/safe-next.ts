import { paths } from '../components/paths.ts';

/** A path of this portal and nothing else: never `//elsewhere` or a scheme, which a crafted link could carry. */
export const safeNext = (next: string | null): string => {
  if (next === null || !next.startsWith('/')) return paths.dashboard;
  const base = 'https://portal.invalid';
  const url = URL.canParse(next, base) ? new URL(next, base) : undefined;
  return url?.origin === base && url.pathname !== paths.login
    ? `${url.pathname}${url.search}${url.hash}`
    : paths.dashboard;
};
