import { lotStatuses, type Lot } from '@roastery/contract/inventory';
import { useUrlState } from '../../components/url-state.ts';

/** The list shows what can be roasted unless somebody asks for more. */
const defaultStatus: Lot['status'] = 'Available';
const everyStatus = 'all';
export type StatusChoice = Lot['status'] | typeof everyStatus;

export interface LotFilters {
  status: StatusChoice;
  origin: string | undefined;
  location: string | undefined;
  q: string;
  /** How many differ from what the list shows at first. */
  count: number;
  choose: (change: { status?: StatusChoice; origin?: string; location?: string; q?: string }) => void;
  reset: () => void;
  /** As the api takes them. */
  query: { status?: Lot['status']; origin?: string; location?: string; q?: string };
}

/** The filters of the lot list, kept in the address; a default leaves no trace in it. */
export const useLotFilters = (): LotFilters => {
  const { read, change } = useUrlState();
  const asked = read('status');
  const status: StatusChoice =
    asked === everyStatus ? everyStatus : (lotStatuses.find((known) => known === asked) ?? defaultStatus);
  const origin = read('origin');
  const location = read('location');
  const q = read('q') ?? '';
  return {
    status,
    origin,
    location,
    q,
    count: [status !== defaultStatus, origin !== undefined, location !== undefined, q !== ''].filter(Boolean).length,
    choose: ({ status: next, ...others }) =>
      change({ ...others, ...(next === undefined ? {} : { status: next === defaultStatus ? undefined : next }) }),
    reset: () => change({ status: undefined, origin: undefined, location: undefined, q: undefined }),
    query: {
      ...(status === everyStatus ? {} : { status }),
      ...(origin === undefined ? {} : { origin }),
      ...(location === undefined ? {} : { location }),
      ...(q === '' ? {} : { q }),
    },
  };
};
