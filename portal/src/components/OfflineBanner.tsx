import { WifiOff } from 'lucide-react';
import { useReachability } from '../api/reachability.ts';
import { RelativeTime } from './RelativeTime.tsx';

/** Says that the server is out of reach, and how old everything on screen is by now. */
export const OfflineBanner = () => {
  const { reachable, lastAnswerAt } = useReachability();
  if (reachable) return null;
  return (
    <output className="flex items-center gap-2.5 border-b border-stroke bg-warning-soft px-4 py-2 text-sm text-strong">
      <WifiOff aria-hidden className="size-4 shrink-0 text-warning" />
      <span>
        <strong className="font-semibold">The server can’t be reached.</strong>{' '}
        {lastAnswerAt === null ? (
          'Trying again …'
        ) : (
          <>
            What you see is from <RelativeTime moment={new Date(lastAnswerAt).toISOString()} />. Trying again …
          </>
        )}
      </span>
    </output>
  );
};
