import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { AgentConfig, ArtisanConfig } from '../config.ts';
import type { MachineLink, Reading, Source, SourceDescription } from '../source.ts';
import { watchArtisanFiles, type ArtisanFiles, type FilesReport } from './artisan-files.ts';
import { followArtisan, type LiveFeed } from './live-feed.ts';

/** The recorded channels of Artisan's displays. */
export const describeArtisan = ({ url }: ArtisanConfig): SourceDescription => ({
  id: 'artisan',
  rev: 1,
  channels: url === undefined ? {} : { bean_temp: { unit: '°C' }, exhaust_temp: { unit: '°C' } },
});

export interface ArtisanParts {
  readonly config: AgentConfig;
  readonly artisan: ArtisanConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly reading: (reading: Reading) => void;
  readonly linkChanged: (link: MachineLink) => void;
  /** The state of the files has changed. */
  readonly filesChanged: () => void;
  readonly roastRuns: () => boolean;
}

export interface ArtisanSource extends Source {
  /** Null where no folder is watched. */
  files(): FilesReport | null;
}

/** Artisan on this computer as the source of readings: its displays live, its finished files, or both. */
export const startArtisan = async (parts: ArtisanParts): Promise<ArtisanSource> => {
  const { config, artisan, clock, log, reading, linkChanged, filesChanged, roastRuns } = parts;
  const { folder, url, pastDays } = artisan;
  let files: ArtisanFiles | undefined;
  let live: LiveFeed | undefined;
  const link = (): MachineLink => {
    if (live !== undefined) return live.link();
    const trouble = files?.report().trouble ?? undefined;
    return { state: trouble === undefined ? 'ok' : 'failing', detail: trouble };
  };
  const changed = (): void => {
    if (url === undefined) linkChanged(link());
    filesChanged();
  };
  if (folder !== undefined) files = await watchArtisanFiles({ config, folder, pastDays, clock, log, changed });
  const unit = () => artisan.unit ?? files?.unit();
  if (url !== undefined) live = followArtisan({ url, unit, clock, reading, linkChanged, roastRuns });
  if (live === undefined) linkChanged(link());

  return {
    link,
    stalledMs: () => live?.stalledMs() ?? 0,
    files: () => files?.report() ?? null,
    async stop() {
      await Promise.all([live?.stop(), files?.stop()]);
    },
  };
};
