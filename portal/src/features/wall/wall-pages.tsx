import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react';
import { useCallback, useEffect, useReducer, useState } from 'react';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';

/** Tiles of a page. With more, the letters are too small to be read from five metres. */
const maxTiles = 24;
/** This many active machines stay on every page, which leaves places for the others. */
const maxAtWork = 18;

interface AnyMachine {
  readonly id: string;
  readonly roast: object | null;
}

/**
 * The machines in pages of 24 at most, of about the same size. Machines with an alarm or a roast are on every page, and
 * the others alternate; if very many are active, only those with an alarm are on every page.
 */
export const wallPages = <Machine extends AnyMachine>(
  machines: readonly Machine[],
  alarmed: ReadonlySet<string>,
): Machine[][] => {
  if (machines.length <= maxTiles) return [[...machines]];
  const alarms = machines.filter(({ id }) => alarmed.has(id));
  const roasting = machines.filter(({ id, roast }) => !alarmed.has(id) && roast !== null);
  const idle = machines.filter(({ id, roast }) => !alarmed.has(id) && roast === null);
  const ranked = [...alarms, ...roasting, ...idle];
  const atWork = alarms.length + roasting.length;
  const kept = atWork <= maxAtWork ? atWork : Math.min(alarms.length, maxTiles - 1);
  const others = ranked.slice(kept);
  const each = Math.ceil(others.length / Math.ceil(others.length / (maxTiles - kept)));
  return Array.from({ length: Math.ceil(others.length / each) }, (_, page) => [
    ...ranked.slice(0, kept),
    ...others.slice(page * each, (page + 1) * each),
  ]);
};

/** Width to height at which a tile shows its figures largest. */
const idealAspect = 1.5;

export interface WallGrid {
  readonly columns: number;
  readonly rows: number;
}

/** The grid in which this many tiles are largest on a screen of this size. */
export const wallGrid = (tiles: number, width: number, height: number): WallGrid => {
  let best: WallGrid & { size: number } = { columns: 1, rows: Math.max(1, tiles), size: -1 };
  for (let columns = 1; columns <= tiles; columns++) {
    const rows = Math.ceil(tiles / columns);
    const size = Math.min(width / columns / idealAspect, height / rows);
    if (size > best.size) best = { columns, rows, size };
  }
  return { columns: best.columns, rows: best.rows };
};

const turnMs = 15_000;
/** After a touch or a key a page stays for this long. */
const heldMs = 60_000;

export interface TurnState {
  /** Counts on beyond the last page. */
  readonly page: number;
  /** Epoch ms. */
  readonly turnsAt: number;
  /** By its button, until it is pressed again. */
  readonly isPaused: boolean;
}
export type TurnAction = { readonly now: number } & (
  | { readonly do: 'tick' | 'hold' | 'pause' }
  | { readonly do: 'turn'; readonly by: 1 | -1 }
);

export const turnPages = (state: TurnState, action: TurnAction): TurnState => {
  const { now } = action;
  if (action.do === 'turn') return { ...state, page: state.page + action.by, turnsAt: now + heldMs };
  if (action.do === 'hold') return { ...state, turnsAt: now + heldMs };
  if (action.do === 'pause') return { ...state, isPaused: !state.isPaused, turnsAt: now + turnMs };
  if (state.isPaused || now < state.turnsAt) return state;
  return { ...state, page: state.page + 1, turnsAt: now + turnMs };
};

export interface Turning extends TurnState {
  readonly turn: (by: 1 | -1) => void;
  readonly hold: () => void;
  readonly pause: () => void;
}

const keysOfPages = new Map<string, 1 | -1>([
  ['ArrowRight', 1],
  ['PageDown', 1],
  ['ArrowLeft', -1],
  ['PageUp', -1],
]);

/**
 * Changes the pages of the wall automatically, by keys and by its buttons. There is no animation: one page replaces the
 * other.
 */
export const useTurning = (pages: number): Turning => {
  const [state, dispatch] = useReducer(turnPages, undefined, () => ({
    page: 0,
    turnsAt: Date.now() + turnMs,
    isPaused: false,
  }));
  const isPaged = pages > 1;
  useEffect(() => {
    if (!isPaged) return undefined;
    const onKey = ({ key }: KeyboardEvent) => {
      const by = keysOfPages.get(key);
      dispatch(by === undefined ? { do: 'hold', now: Date.now() } : { do: 'turn', by, now: Date.now() });
    };
    const timer = setInterval(() => dispatch({ do: 'tick', now: Date.now() }), 1000);
    addEventListener('keydown', onKey);
    return () => {
      clearInterval(timer);
      removeEventListener('keydown', onKey);
    };
  }, [isPaged]);
  return {
    ...state,
    page: ((state.page % pages) + pages) % pages,
    turn: useCallback((by) => dispatch({ do: 'turn', by, now: Date.now() }), []),
    hold: useCallback(() => dispatch({ do: 'hold', now: Date.now() }), []),
    pause: useCallback(() => dispatch({ do: 'pause', now: Date.now() }), []),
  };
};

interface PageTileProps {
  turning: Turning;
  pages: number;
  /** Of all pages. */
  machines: number;
  /** Those beyond the limit of the wall included. */
  total: number;
}

const buttonClass =
  'flex min-w-0 flex-1 touch-manipulation items-center justify-center rounded-lg border-2 border-stroke-control text-strong hover:bg-hover [&_svg]:size-[min(22cqh,12cqw)]';

/** After the last machine: page, number of machines, and time of the next page. */
export const PageTile = ({ turning, pages, machines, total }: PageTileProps) => {
  const { page, isPaused, turn, pause } = turning;
  return (
    <li data-testid="wall-pages" className="min-h-0 min-w-0 overflow-hidden rounded-lg bg-sunken [container-type:size]">
      <div className="figures flex h-full flex-col px-[3.5cqw] py-[2.5cqh] text-[length:min(10.5cqh,5.8cqw)] leading-tight">
        <p className="shrink-0 text-[length:min(15cqh,9cqw)] font-semibold text-strong">
          {t`Page ${page + 1} of ${pages}`}
        </p>
        <p className="shrink-0 truncate text-content">
          {machines < total
            ? t`${formatCount(machines)} of ${formatCount(total)} machines`
            : t`${formatCount(total)} machines`}
        </p>
        <p className="shrink-0 truncate text-content">
          {isPaused ? t`Paused` : <Countdown turnsAt={turning.turnsAt} />}
        </p>
        <div className="mt-auto flex h-[38cqh] shrink-0 gap-[2.5cqw]">
          <button type="button" aria-label={t`Previous page`} className={buttonClass} onClick={() => turn(-1)}>
            <ChevronLeft aria-hidden />
          </button>
          <button
            type="button"
            aria-label={isPaused ? t`Show the pages in turn` : t`Stay on this page`}
            className={buttonClass}
            onClick={pause}
          >
            {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
          </button>
          <button type="button" aria-label={t`Next page`} className={buttonClass} onClick={() => turn(1)}>
            <ChevronRight aria-hidden />
          </button>
        </div>
      </div>
    </li>
  );
};

const Countdown = ({ turnsAt }: { turnsAt: number }) => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return t`Next in ${Math.max(0, Math.ceil((turnsAt - now) / 1000))} s`;
};
