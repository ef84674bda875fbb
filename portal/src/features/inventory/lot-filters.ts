import { lotStatuses, type Lot } from '@roastery/contract/inventory';
import { useUrlState } from '../../components/url-state.ts';

/** At first the list shows the lots that can be roasted. */
const defaultStatus: Lot['status'] = 'Available';
export const everyStatus = 'all';
type StatusChoice = Lot['status'] | typeof everyStatus;

export interface LotFilters {
  status: StatusChoice;
  origin: string | undefined;
  location: string | undefined;
  /** How many differ from the first view, the search included. */
  count: number;
  choose: (change: { status?: StatusChoice; origin?: string; location?: string }) => void;
  reset: () => void;
  /** As the api accepts them; the list adds the search. */
  query: { status?: Lot['status']; origin?: string; location?: string };
}

/** The filters of the lot list, kept in the address; a default value is not in it. */
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
    count: [status !== defaultStatus, origin !== undefined, location !== undefined, q !== ''].filter(Boolean).length,
    choose: ({ status: next, ...others }) =>
      change({ ...others, ...(next === undefined ? {} : { status: next === defaultStatus ? undefined : next }) }),
    reset: () => change({ status: undefined, origin: undefined, location: undefined, q: undefined }),
    query: {
      ...(status === everyStatus ? {} : { status }),
      ...(origin === undefined ? {} : { origin }),
      ...(location === undefined ? {} : { location }),
    },
  };
};
