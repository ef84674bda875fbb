import { getMachineLessons } from '@roastery/contract/machine-lessons';
import { getBoardConfig } from '@roastery/contract/machine-maps';
import { getMachine } from '@roastery/contract/machines';
import { getTimeline } from '@roastery/contract/timeline';
import { screen } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal } from '../testing/open-portal.tsx';
import { machine } from '../testing/records.ts';
import { openStreams } from '../testing/streams.ts';
import { answer, refused } from '../testing/table-server.ts';

const { id } = machine();
const reads = [getMachine, getTimeline, getMachineLessons, getBoardConfig];

it.each(['timeline', 'learnt', 'probe'])(
  'missing page: %s of a machine that does not exist, or of a malformed id, leads to the machines',
  async (page) => {
    openStreams();
    for (const code of ['not_found', 'validation'] as const) {
      await openPortal(`/machines/${id}/${page}`, {
        answers: reads.map((endpoint) => answer(endpoint, refused('No such machine', code))),
      });
      await screen.findByRole('heading', { name: 'Machine not found' });
      screen.getByText('It may have been deleted, or you don’t have access to it.');
      expect(screen.getByRole('link', { name: 'Back to Machines' }).getAttribute('href')).toBe('/machines');
      expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
    }
  },
);
