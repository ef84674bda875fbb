import { Plus } from 'lucide-react';
import { useRemoval } from '../../components/form/use-removal.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { ChannelRow } from './ChannelRow.tsx';
import { eventNames } from './event-draft.ts';
import { EventRow } from './EventRow.tsx';
import { LinkFields } from './LinkFields.tsx';
import { emptyChannel, orders } from './map-draft.ts';
import { emptyOutput } from './output-draft.ts';
import { OutputRow } from './OutputRow.tsx';
import { rowsWith, type MapDraftChanges } from './use-map-draft.ts';

const orderChoices = orders.map((value) => ({ value, label: value }));
const verifications = [
  { value: 'none', label: t`Not verified on real hardware` },
  { value: 'hardware', label: t`Verified on real hardware` },
] as const;

const chargings = [
  { value: 'hot', label: t`Hot: into a preheated machine` },
  { value: 'cold', label: t`Cold: beans in, then heat` },
] as const;

interface PanelProps {
  map: MapDraftChanges;
}

export const MachinePanel = ({ map: { editing, change, text } }: PanelProps) => (
  <Panel title={t`Machine`}>
    <div className="grid gap-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
      <TextField label={t`Maker`} required {...text('maker')} />
      <TextField label={t`Model`} required {...text('model')} />
      <Select
        label={t`Verified`}
        choices={verifications}
        value={editing.draft.verified === 'hardware' ? 'hardware' : 'none'}
        onChange={(verified) => change({ verified })}
        hint={t`Only after you have compared the readings with the machine’s display.`}
      />
      <Select
        label={t`Charging`}
        choices={chargings}
        value={editing.draft.charging}
        onChange={(charging) => change({ charging })}
        hint={t`Used to detect the charge. Cold: fluid-bed and sample roasters.`}
      />
      <TextField label={t`Notes`} className="sm:col-span-2" {...text('notes')} />
    </div>
  </Panel>
);

export const LinkPanel = ({ map: { editing, change, text } }: PanelProps) => (
  <Panel title={t`Link`}>
    <div className="grid gap-4 p-4 sm:grid-cols-3 lg:grid-cols-6">
      <LinkFields link={editing.draft.link} problems={editing.problems} onChange={(link) => change({ link })} />
      <TextField label={t`Unit`} inputMode="numeric" mono {...text('unit')} />
      <Select
        label={t`Order of 32-bit values`}
        choices={orderChoices}
        value={editing.draft.order}
        onChange={(order) => change({ order })}
      />
      <TextField label={t`Readings per second`} inputMode="decimal" mono {...text('hz')} />
      <TextField label={t`Response timeout (ms)`} inputMode="numeric" mono {...text('timeoutMs')} />
      <TextField label={t`Drum RPM at 100 %`} inputMode="decimal" mono {...text('maxDrumRpm')} />
    </div>
  </Panel>
);

const Add = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button icon={<Plus aria-hidden />} onClick={onClick}>
    {label}
  </Button>
);

export const ChannelsPanel = ({ map: { editing, change, add } }: PanelProps) => {
  const { channels } = editing.draft;
  const remove = useRemoval(channels, (rows) => change({ channels: rows }));
  return (
    <Panel
      title={t`Channels`}
      actions={
        <Add
          label={t`Add channel`}
          onClick={() => add((draft, key) => ({ channels: [...draft.channels, emptyChannel(key)] }))}
        />
      }
    >
      <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted">
        {t`Address: ${<code className="font-mono text-xs">h:6</code>} is holding register 6 (40007 in five digits), ${<code className="font-mono text-xs">i</code>} input, ${<code className="font-mono text-xs">c</code>} coil, ${<code className="font-mono text-xs">d</code>} discrete input; ${<code className="font-mono text-xs">2/h:6</code>} is unit 2, ${<code className="font-mono text-xs">h:6.3</code>} bit 3. Value = raw × scale + offset.`}
      </p>
      {channels.map((channel, row) => (
        <ChannelRow
          key={channel.key}
          row={row}
          channel={channel}
          problems={editing.problems}
          onChange={(part) => change({ channels: rowsWith(channels, channel.key, part) })}
          onDelete={() => remove(channel, t`Channel ${channel.name} was removed`)}
        />
      ))}
    </Panel>
  );
};

export const OutputsPanel = ({ map: { editing, change, add } }: PanelProps) => {
  const { outputs, channels } = editing.draft;
  const remove = useRemoval(outputs, (rows) => change({ outputs: rows }));
  return (
    <Panel
      title={t`Outputs`}
      actions={
        <Add
          label={t`Add output`}
          onClick={() => add((draft, key) => ({ outputs: [...draft.outputs, emptyOutput(key)] }))}
        />
      }
    >
      <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted last:border-0">
        {t`Described and simulated only: the board writes nothing to the machine. Raw = (value − offset) ÷ scale.`}
      </p>
      {outputs.map((output, row) => (
        <OutputRow
          key={output.key}
          row={row}
          output={output}
          channels={channels.map(({ name }) => name.trim())}
          problems={editing.problems}
          onChange={(part) => change({ outputs: rowsWith(outputs, output.key, part) })}
          onDelete={() => remove(output, t`Output ${output.name} was removed`)}
        />
      ))}
    </Panel>
  );
};

export const EventsPanel = ({ map: { editing, change, add } }: PanelProps) => {
  const { events } = editing.draft;
  const remove = useRemoval(events, (rows) => change({ events: rows }));
  const free = eventNames.find((name) => events.every((event) => event.name !== name));
  return (
    <Panel
      title={t`Events`}
      actions={
        free !== undefined && (
          <Add
            label={t`Add event`}
            onClick={() => add((draft, key) => ({ events: [...draft.events, { key, name: free, when: '', on: '' }] }))}
          />
        )
      }
    >
      <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted last:border-0">
        {t`The signal is a bit that the machine raises, e.g. ${<code className="font-mono text-xs">d:284</code>} or ${<code className="font-mono text-xs">h:7.3</code>}; the mark is taken from it. Writes are described only.`}
      </p>
      {events.map((event, row) => (
        <EventRow
          key={event.key}
          row={row}
          event={event}
          taken={events.map(({ name }) => name)}
          problems={editing.problems}
          onChange={(part) => change({ events: rowsWith(events, event.key, part) })}
          onDelete={() => remove(event, t`Event ${event.name} was removed`)}
        />
      ))}
    </Panel>
  );
};
