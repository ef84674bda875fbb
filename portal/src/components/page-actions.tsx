import { createContext, use, useEffect, useId, useState, type ReactNode } from 'react';

/** Something that can be done on the page now: shown in the command palette, and by its key in the list of keys. */
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

type Offers = ReadonlyMap<string, readonly PageAction[]>;
type ChangeOffers = (change: (offers: Offers) => Offers) => void;

// Two contexts, so that a page that offers actions is not drawn again because they were offered.
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

/** All actions on offer now; for the palette and the keyboard. */
export const useOfferedActions = (): readonly PageAction[] => [...use(OffersContext).values()].flat();

/**
 * Offers actions while the calling component is mounted. Memoise the list (`useMemo`), since a new one is a new offer:
 *
 *     usePageActions(useMemo(() => [{ id: 'register', label: 'Register machine', key: 'n', run: openRegister }], [openRegister]));
 */
export const usePageActions = (actions: readonly PageAction[]): void => {
  const owner = useId();
  const changeOffers = use(ChangeOffersContext);
  if (changeOffers === null) throw new Error('page actions outside of PageActionsProvider');
  useEffect(() => {
    changeOffers((offers) => new Map(offers).set(owner, actions));
    return () =>
      changeOffers((offers) => {
        const others = new Map(offers);
        others.delete(owner);
        return others;
      });
  }, [owner, actions, changeOffers]);
};
