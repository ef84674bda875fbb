import { ApiError, sentenceFor } from '../../api/api-error.ts';
import type { Crumb } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';

export const blendCrumbs = (here: string): Crumb[] => [
  { label: 'Home', to: paths.dashboard },
  { label: 'Roasts', to: paths.roasts },
  { label: 'Post-roast blends', to: paths.blends },
  { label: here },
];

/** Why a blend was not saved, without the names of the fields: the sentences name the roast. */
export const blendFailure = (error: unknown): string =>
  error instanceof ApiError && error.fields.length > 0
    ? error.fields.map(({ message }) => message).join('\n')
    : sentenceFor(error, 'Failed to save blend');
