export interface RecentPage {
  path: string;
  title: string;
}

const most = 8;
const prefix = 'recent-pages-';
const storageKey = (userId: string) => `${prefix}${userId}`;

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

export const rememberPage = (userId: string, page: RecentPage): void =>
  localStorage.setItem(storageKey(userId), JSON.stringify(withPage(recentPages(userId), page)));

/** Deletes the lists of all other people: titles name their coffees and customers. */
export const forgetPagesOfOthers = (userId: string | undefined): void => {
  const isOfOther = (key: string): boolean => key.startsWith(prefix) && key !== storageKey(userId ?? '');
  for (const key of Object.keys(localStorage).filter(isOfOther)) localStorage.removeItem(key);
};
