import type { Upload } from '@roastery/contract/imports';
import { usePreferences } from '../../format/preferences.ts';
import { unitOf } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';

/** The curves of the file and the channels they become. */
export const ChannelsFound = ({ channels, samples }: Pick<Upload, 'channels' | 'samples'>) => {
  const units = usePreferences();
  return (
    <Panel title={t`Channels`}>
      <ul className="divide-y divide-stroke text-sm">
        {channels.map((channel) => (
          <li key={channel.name} className="flex items-baseline justify-between gap-3 px-4 py-1.5">
            <span className="min-w-0 truncate text-strong">
              {channel.label}{' '}
              {channel.unit !== '' && (
                <span className="text-muted">
                  {channel.unit === '°C' ? unitOf('temperature', units) : channel.unit}
                </span>
              )}
            </span>
            <span className="shrink-0 font-mono text-xs text-muted">
              {channel.readings < samples
                ? t`${channel.name} · ${Math.floor((channel.readings / samples) * 100)}% read`
                : channel.name}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
