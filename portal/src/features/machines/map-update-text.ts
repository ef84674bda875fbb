import type { MapUpdate } from '@roastery/contract/channel-check';
import { t } from '../../language/t.ts';

const withReason = (sentence: string, reason: string | null): string =>
  reason === null ? `${sentence}.` : `${sentence}: ${reason}.`;

const exchangedText = (name: string, { state, reason }: MapUpdate, day: string): string => {
  if (state === 'running' || state === 'trial')
    return t`The map of “${name}” was corrected on ${day}: bean and exhaust temperature were exchanged. New roasts are recorded correctly.`;
  if (state === 'refused' || state === 'reverted')
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
  if (state === 'refused' || state === 'reverted')
    return `${updated} ${withReason(t`Its board still uses the earlier one`, reason)}`;
  return `${updated} ${waitingText(reason)}`;
};
