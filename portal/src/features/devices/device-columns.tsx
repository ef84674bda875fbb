import type { Device, PairingTicket } from '@roastery/contract/fleet';
import type { Quarantined } from '@roastery/contract/quarantine';
import { PushState } from '../../components/machine-maps/map-labels.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import type { Column } from '../../components/table/columns.ts';
import type { DateTexts } from '../../format/dates.ts';
import { formatBytes, formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Badge, LiveDot } from '../../ui/Badge.tsx';
import {
  clockText,
  diskText,
  filesText,
  isGrave,
  journalText,
  linkText,
  mapText,
  pairedFrom,
  pairingLabels,
  ticketLabels,
  updateText,
  warningLabels,
} from './device-texts.ts';

const figures = (text: string) => <span className="figures whitespace-nowrap">{text}</span>;

const MachineName = ({ of }: { of: { display_name: string; serial_number: string } }) => (
  <span className="flex min-w-0 flex-col">
    <span className="min-w-28">{of.display_name}</span>
    <span className="font-mono text-xs font-normal text-muted">{of.serial_number}</span>
  </span>
);

/** The last contact; an offline board is never shown as running. */
const Seen = ({ device }: { device: Device }) => {
  if (device.connection === 'online') {
    return <span className="flex items-center gap-2">{t`${<LiveDot tone="success" />} Online`}</span>;
  }
  if (device.last_seen_at === null) {
    return (
      <span className="flex items-center gap-2 whitespace-nowrap text-muted">
        {t`${<LiveDot tone="faint" />} Never`}
      </span>
    );
  }
  return (
    <span className="flex items-center gap-2">
      <LiveDot tone="warning" /> <RelativeTime moment={device.last_seen_at} />
    </span>
  );
};

const Warnings = ({ device }: { device: Device }) =>
  device.warnings.length === 0 ? (
    <span className="text-muted">{t`None`}</span>
  ) : (
    <span className="flex flex-wrap gap-1">
      {device.warnings.map((warning) => (
        <Badge key={warning} tone={isGrave(warning) ? 'danger' : 'warning'}>
          {warningLabels[warning]}
        </Badge>
      ))}
    </span>
  );

const Version = ({ device }: { device: Device }) => {
  const update = updateText(device);
  return (
    <span className="flex flex-col items-start gap-0.5 py-1">
      {figures(device.agent_version ?? '--')}
      {update !== null && <span className="max-w-64 text-xs text-pretty text-muted sm:min-w-44">{update}</span>}
    </span>
  );
};

/** Whether it uses the settings; the reason of reverted settings is a sentence, too long for a badge. */
const Settings = ({ config }: Pick<Device, 'config'>) => {
  if (config.state === 'none') return null;
  if (config.state !== 'reverted') return <PushState config={config} />;
  return (
    <>
      <PushState config={{ ...config, reason: null }} />
      <span className="max-w-64 text-xs text-pretty text-muted sm:min-w-44">{config.reason}</span>
    </>
  );
};

const TicketBadge = ({ ticket }: { ticket: PairingTicket }) => (
  <Badge tone={ticketLabels[ticket.state].tone}>{ticketLabels[ticket.state].label}</Badge>
);

export const deviceColumns: readonly Column<Device>[] = [
  { id: 'machine', label: t`Machine`, isName: true, cell: (device) => <MachineName of={device} />, share: 15 },
  { id: 'owner', label: t`Owner`, cell: ({ owner_name: owner }) => owner ?? '--', share: 9 },
  { id: 'seen', label: t`Last seen`, cell: (device) => <Seen device={device} /> },
  { id: 'warnings', label: t`Warnings`, cell: (device) => <Warnings device={device} /> },
  { id: 'version', label: t`Version`, cell: (device) => <Version device={device} /> },
  {
    id: 'map',
    label: t`Map`,
    cell: (device) => (
      <span className="flex flex-col items-start gap-1 py-1">
        {figures(mapText(device))}
        {filesText(device) !== null && <span className="text-xs text-pretty text-muted">{filesText(device)}</span>}
        <Settings config={device.config} />
      </span>
    ),
  },
  { id: 'link', label: t`Machine link`, cell: linkText, share: 12 },
  { id: 'journal', label: t`Journal`, cell: (device) => figures(journalText(device)) },
  { id: 'clock', label: t`Clock`, cell: clockText },
  { id: 'disk', label: t`Disk`, cell: (device) => figures(diskText(device)) },
  {
    id: 'paired',
    label: t`Pairing`,
    cell: (device) => {
      const words = pairingLabels(device);
      return words === null ? '--' : <Badge tone={words.tone}>{words.label}</Badge>;
    },
  },
];

export const quarantineColumns: readonly Column<Quarantined>[] = [
  {
    id: 'machine',
    label: t`Machine`,
    isName: true,
    cell: ({ display_name: name, serial_number: serial }) => (
      <MachineName of={{ display_name: name ?? t`Not registered`, serial_number: serial }} />
    ),
  },
  { id: 'reason', label: t`Reason`, cell: ({ reason }) => <span className="text-pretty">{reason}</span> },
  { id: 'received', label: t`Received`, cell: ({ received_at: at }) => <RelativeTime moment={at} /> },
  { id: 'times', label: t`Count`, cell: ({ times }) => figures(formatCount(times)) },
  { id: 'size', label: t`Size`, cell: ({ bytes }) => figures(formatBytes(bytes)) },
];

export const ticketColumns = (dates: DateTexts): readonly Column<PairingTicket>[] => [
  { id: 'machine', label: t`Machine`, isName: true, cell: (ticket) => <MachineName of={ticket} /> },
  { id: 'owner', label: t`Owner`, cell: ({ owner_name: owner }) => owner ?? '--' },
  { id: 'state', label: t`State`, cell: (ticket) => <TicketBadge ticket={ticket} /> },
  { id: 'age', label: t`Issued`, cell: ({ created_at: at }) => <RelativeTime moment={at} /> },
  { id: 'until', label: t`Valid until`, cell: ({ expires_at: at }) => figures(dates.dayAndTime(at)) },
  {
    id: 'paired',
    label: t`Paired`,
    cell: ({ redeemed_at: at }) => (at === null ? '--' : <RelativeTime moment={at} />),
  },
  { id: 'from', label: t`Paired from`, cell: (ticket) => figures(pairedFrom(ticket)) },
];
