import { getWall, openWall } from '@roastery/contract/wall';
import { Factory, TvMinimal } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ApiError, isTemporary } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { OfflineBanner } from '../../components/OfflineBanner.tsx';
import { paths } from '../../components/paths.ts';
import { useWakeLock } from '../../components/live/use-wake-lock.ts';
import { useAlarmed, useWallFeed } from '../../components/live/wall-hooks.tsx';
import { ScreenPreferences, useScreenFormats } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { PageTile, useTurning, wallGrid, wallPages } from './wall-pages.tsx';
import { WallTile } from './WallTile.tsx';

/** The height of a tile below which its curve is behind its texts. */
const denseBelowPixels = 280;

/** New machines and plans appear without an event of a roast. */
const refreshMs = 30_000;

/** /wall: every machine at once, for a television. `#token=…` of a wall link opens it without an account. */
export default function WallPage() {
  const exchange = useExchange();
  if (exchange.error !== undefined) {
    return isTemporary(exchange.error) ? (
      <main className="flex h-dvh items-center justify-center">
        <ErrorState title={t`The wall could not be loaded`} error={exchange.error} onRetry={exchange.again} />
      </main>
    ) : (
      <WallRefused />
    );
  }
  return exchange.isDone ? <Wall /> : null;
}

interface Exchange {
  readonly isDone: boolean;
  readonly error?: unknown;
  readonly again: () => void;
}

/** The token of the address, exchanged for a cookie once and removed from the address. */
const useExchange = (): Exchange => {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'));
  const [state, setState] = useState<Omit<Exchange, 'again'>>({ isDone: token === null });
  const exchange = useCallback(() => {
    if (token === null) return;
    call(openWall, { body: { token } }).then(
      () => setState({ isDone: true }),
      (error: unknown) => {
        logError('The wall link was refused', error);
        setState({ isDone: false, error });
      },
    );
  }, [token]);
  useEffect(() => {
    if (token !== null) history.replaceState(history.state, '', location.pathname);
    exchange();
  }, [token, exchange]);
  return { ...state, again: exchange };
};

const WallRefused = () => (
  <main className="flex h-dvh items-center justify-center p-6">
    <EmptyState
      isPage
      icon={<TvMinimal aria-hidden />}
      title={t`This screen can’t show the wall`}
      action={
        <ButtonLink to={`${paths.login}?next=${encodeURIComponent(paths.wall)}`} kind="primary">
          {t`Sign in`}
        </ButtonLink>
      }
    >
      {t`Its link was revoked or is missing. An administrator can create a new one under Devices.`}
    </EmptyState>
  </main>
);

const useWindowSize = () => {
  const [size, setSize] = useState(() => ({ width: innerWidth, height: innerHeight }));
  useEffect(() => {
    const measure = () => setSize({ width: innerWidth, height: innerHeight });
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  return size;
};

const Wall = () => {
  const { data, error } = useApi(getWall, {}, { refreshInterval: refreshMs });
  const readsAs = useScreenFormats(data?.reads_as);
  const feed = useWallFeed(data?.machines);
  const { width, height } = useWindowSize();
  useWakeLock();
  const machines = useMemo(() => data?.machines ?? [], [data]);
  const alarmed = useAlarmed(
    feed,
    useMemo(() => machines.map(({ id }) => id), [machines]),
  );
  const pages = useMemo(() => wallPages(machines, new Set(alarmed.split(' '))), [machines, alarmed]);
  const turning = useTurning(pages.length);
  const isPaged = pages.length > 1;
  /** The same on every page, with one for the pages. */
  const places = (pages[0]?.length ?? 0) + (isPaged ? 1 : 0);
  if (error instanceof ApiError && error.status === 401) return <WallRefused />;
  const { columns, rows } = wallGrid(places, width, height);
  const isDense = height / rows < denseBelowPixels;
  return (
    <main data-testid="wall" className="flex h-dvh flex-col overflow-hidden bg-page" onPointerDown={turning.hold}>
      <title>{t`Wall · Roasting Management`}</title>
      <h1 className="sr-only">{t`Wall`}</h1>
      <OfflineBanner />
      {data !== undefined && machines.length === 0 ? (
        <EmptyState isPage icon={<Factory aria-hidden />} title={t`No machines`}>
          {t`The wall shows every machine that you have access to.`}
        </EmptyState>
      ) : data === undefined && error !== undefined ? (
        <ErrorState title={t`The wall could not be loaded`} error={error} onRetry={() => void refresh(getWall)} />
      ) : (
        <ul
          className="grid min-h-0 flex-1 gap-[0.7vmin] p-[0.7vmin]"
          style={{
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            gridTemplateRows: `repeat(${rows}, minmax(0, 1fr))`,
          }}
        >
          <ScreenPreferences value={readsAs}>
            {pages[turning.page]?.map((machine) => (
              <WallTile key={machine.id} machine={machine} feed={feed} isDense={isDense} />
            ))}
            {isPaged && (
              <PageTile turning={turning} pages={pages.length} machines={machines.length} total={data?.total ?? 0} />
            )}
          </ScreenPreferences>
        </ul>
      )}
    </main>
  );
};
