import type { BoardConfig } from '@roastery/contract/machine-maps';
import { Badge } from '../../ui/Badge.tsx';
import { pushWords } from './map-words.ts';

/** Whether the board runs what was set for it. */
export const PushState = ({ config }: { config: Pick<BoardConfig, 'map' | 'state' | 'reason'> }) => {
  const { label, tone } = pushWords(config);
  return (
    <Badge tone={tone}>
      <span title={label}>{label}</span>
    </Badge>
  );
};
