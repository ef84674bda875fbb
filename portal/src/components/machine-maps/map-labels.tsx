import type { BoardConfig, MapSummary } from '@roastery/contract/machine-maps';
import { t } from '../../language/t.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import type { Link, Verification } from '@roastery/contract/machine-map';

/** Whether a map was verified. A test against the simulator does not verify it for the real machine. */
export const verifiedLabels: Readonly<Record<Verification, { label: string; tone: Tone }>> = {
  none: { label: t`Not verified on real hardware`, tone: 'warning' },
  simulator: { label: t`Not verified on real hardware`, tone: 'warning' },
  hardware: { label: t`Verified on real hardware`, tone: 'success' },
};

export const linkLabel: Readonly<Record<Link['kind'], string>> = {
  tcp: 'TCP',
  'rtu-over-tcp': t`RTU over TCP`,
  rtu: 'RTU',
  ascii: 'ASCII',
};

export const mapName = ({ maker, model }: Pick<MapSummary, 'maker' | 'model'>): string =>
  maker === model ? maker : `${maker} ${model}`;

/** Speed of a serial line. */
export const speedText = ({ baud, parity }: { baud: number; parity: string }): string =>
  parity === 'none' ? t`${baud} baud, no parity` : t`${baud} baud, ${parity} parity`;

type Pushed = Pick<BoardConfig, 'map' | 'state' | 'reason'>;

/** Whether the board uses its configuration, as a short label. */
export const pushLabels = ({ map, state, reason }: Pushed): { label: string; tone: Tone } => {
  if (state === 'none') return { label: t`Uses the board’s own map`, tone: 'neutral' };
  if (state === 'running') {
    return { label: map === null ? t`Settings in use` : t`Revision ${map.rev} in use`, tone: 'success' };
  }
  if (state === 'trial') return { label: t`On trial`, tone: 'accent' };
  if (state === 'reverted') return { label: reason === null ? t`Reverted` : t`Reverted: ${reason}`, tone: 'danger' };
  if (state === 'refused') return { label: reason === null ? t`Refused` : t`Refused: ${reason}`, tone: 'danger' };
  return { label: reason === null ? t`Waiting for the board` : t`Waiting for the board: ${reason}`, tone: 'accent' };
};

/** Whether the board uses its configuration. */
export const PushState = ({ config }: { config: Pick<BoardConfig, 'map' | 'state' | 'reason'> }) => {
  const { label, tone } = pushLabels(config);
  return (
    <Badge tone={tone}>
      <span title={label}>{label}</span>
    </Badge>
  );
};
