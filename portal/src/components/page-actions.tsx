import { createContext, use, useId, useLayoutEffect, useMemo, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router-dom';

/** An action of the page: shown in the command palette and, with its key, in the list of keys. */
export interface PageAction {
  /** Unique on the page. */
  id: string;
  /** A verb and its object: `Register machine`. */
  label: string;
  icon?: ReactNode;
  /** A single key that runs it when no field has the focus, e.g. `n`. Written as in KeyboardEvent.key; ` ` is Space. */
  key?: string;
  run: () => void;
}

/** Keys of a focused part of the page, such as a chart; shown in the list of keys. */
export interface PageKey {
  /** Their effect: `Inspect the previous or next point`. */
  label: string;
  /** As printed on the keys; read one after another. */
  keys: readonly string[];
}

interface Offer {
  actions: readonly PageAction[];
  keys: readonly PageKey[];
}
type Offers = ReadonlyMap<string, Offer>;
type ChangeOffers = (change: (offers: Offers) => Offers) => void;

// Two contexts, so that a page does not render again because of its own actions.
const OffersContext = createContext<Offers>(new Map());
const ChangeOffersContext = createContext<ChangeOffers | null>(null);

export const PageActionsProvider = ({ children }: { children: ReactNode }) => {
  const [offers, setOffers] = useState<Offers>(new Map());
  return (
    <ChangeOffersContext value={setOffers}>
      <OffersContext value={offers}>{children}</OffersContext>
    </ChangeOffersContext>
  );
};

/** All actions of the current page; for the palette and the keyboard. */
export const useOfferedActions = (): readonly PageAction[] =>
  [...use(OffersContext).values()].flatMap(({ actions }) => actions);

/** Keys of the parts of the current page; for the list of keys. */
export const useOfferedKeys = (): readonly PageKey[] => [...use(OffersContext).values()].flatMap(({ keys }) => keys);

const useOffer = (offer: Offer): void => {
  const owner = useId();
  const changeOffers = use(ChangeOffersContext);
  if (changeOffers === null) throw new Error('page actions outside of PageActionsProvider');
  // Before the browser paints: a key works as soon as its action is seen.
  useLayoutEffect(() => {
    changeOffers((offers) => new Map(offers).set(owner, offer));
    return () =>
      changeOffers((offers) => {
        const others = new Map(offers);
        others.delete(owner);
        return others;
      });
  }, [owner, offer, changeOffers]);
};

/**
 * Adds actions while the calling component is mounted. Memoise the list (`useMemo`), since a new list registers again:
 *
 *     usePageActions(useMemo(() => [{ id: 'register', label: 'Register machine', key: 'n', run: openRegister }], [openRegister]));
 */
export const usePageActions = (actions: readonly PageAction[]): void =>
  useOffer(useMemo(() => ({ actions, keys: [] }), [actions]));

/** The action that every list page has: `n` opens the page of a new record. */
export const useAddAction = (label: string, to: string): void => {
  const navigate = useNavigate();
  usePageActions(useMemo(() => [{ id: 'add', label, key: 'n', run: () => void navigate(to) }], [label, to, navigate]));
};

/** Adds keys of a chart or an editor to the list of keys while it is mounted. Pass a constant list. */
export const usePageKeys = (keys: readonly PageKey[]): void => useOffer(useMemo(() => ({ actions: [], keys }), [keys]));
