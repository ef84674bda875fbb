import type { MapUpdate } from '@roastery/contract/channel-check';
import { t } from '../../language/t.ts';

/** Whether the board keeps the earlier map. */
export const keepsEarlierMap = ({ state }: MapUpdate): boolean => state === 'refused' || state === 'reverted';

const withReason = (sentence: string, reason: string | null): string =>
  reason === null ? `${sentence}.` : `${sentence}: ${reason}.`;

const exchangedText = (name: string, update: MapUpdate, day: string): string => {
  const { state, reason } = update;
  if (state === 'running' || state === 'trial')
    return t`The map of “${name}” was corrected on ${day}: bean and exhaust temperature were exchanged. New roasts are recorded correctly.`;
  if (keepsEarlierMap(update))
    return withReason(
      t`The map of “${name}” was corrected on ${day}, but its board still uses the earlier one, in which bean and exhaust temperature are exchanged`,
      reason,
    );
  return `${t`The map of “${name}” was corrected on ${day}: bean and exhaust temperature were exchanged.`} ${waitingText(reason)}`;
};

const waitingText = (reason: string | null): string => withReason(t`Its board has not started to use it yet`, reason);

/** What an owner reads about a map that was updated without them. Roasts are right only once the board uses it. */
export const updateText = (name: string, update: MapUpdate, day: string): string => {
  if (update.exchanged) return exchangedText(name, update, day);
  const { state, reason } = update;
  const updated = t`The map of “${name}” was updated to revision ${update.to_rev} on ${day}.`;
  if (state === 'running' || state === 'trial') return updated;
  if (keepsEarlierMap(update)) return `${updated} ${withReason(t`Its board still uses the earlier one`, reason)}`;
  return `${updated} ${waitingText(reason)}`;
};
