import type { Channel, Link, MachineMap } from '@roastery/contract/machine-map';
import type { ReactNode } from 'react';
import { linkLabel } from '../../components/machine-maps/map-labels.tsx';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { stepsText } from './event-draft.ts';

const linkText = (link: Link): string =>
  'path' in link
    ? t`${linkLabel[link.kind]} · ${link.path} · ${link.baud} baud ${link.dataBits}${link.parity.charAt(0).toUpperCase()}${link.stopBits}`
    : `${linkLabel[link.kind]} · ${link.host}:${link.port}`;

const scaleText = ({ scale, offset }: Pick<Channel, 'scale' | 'offset'>): string =>
  `× ${scale}${offset === 0 ? '' : offset > 0 ? ` + ${offset}` : ` − ${-offset}`}`;

/** A map, read-only. */
export const MapFacts = ({ map }: { map: MachineMap }) => (
  <>
    {map.notes !== undefined && <p className="max-w-prose text-base text-content">{map.notes}</p>}
    <Panel title={t`Link`}>
      <dl className="grid gap-x-6 gap-y-3 p-4 sm:grid-cols-2 lg:grid-cols-4">
        <Fact label={t`Line`}>{linkText(map.link)}</Fact>
        <Fact label={t`Unit`}>{map.unit}</Fact>
        <Fact label={t`Readings per second`}>{map.hz}</Fact>
        <Fact label={t`Order of 32-bit values`}>{map.order}</Fact>
        <Fact label={t`Charging`}>
          {map.charging === 'cold' ? t`Cold: beans in, then heat` : t`Hot: into a preheated machine`}
        </Fact>
        {map.source !== undefined && <Fact label={t`Source`}>{map.source}</Fact>}
      </dl>
    </Panel>
    <Panel title={t`Channels`}>
      <Table
        label={t`Channels of the map`}
        heads={[t`Channel`, t`Address`, t`Type`, t`Order`, t`Scale`, t`Unit`, t`Valid range`]}
        rows={Object.entries(map.channels).map(([name, channel]) => [
          name,
          channel.at,
          channel.as,
          channel.order ?? '--',
          scaleText(channel),
          channel.unit === '' ? '--' : channel.unit,
          channel.range === undefined ? '--' : t`${channel.range[0]} to ${channel.range[1]}`,
        ])}
      />
    </Panel>
    <OutputsAndEvents map={map} />
  </>
);

/** Outputs and events of the machine: described, never written by a board. */
const OutputsAndEvents = ({ map }: { map: MachineMap }) => {
  const outputs = Object.entries(map.outputs).flatMap(([name, output]) =>
    output === undefined ? [] : [{ name, output }],
  );
  const events = Object.entries(map.events).flatMap(([name, event]) => (event === undefined ? [] : [{ name, event }]));
  return (
    <>
      {outputs.length > 0 && (
        <Panel
          title={t`Outputs`}
          actions={<span className="text-sm text-muted">{t`Described only: nothing is written`}</span>}
        >
          <Table
            label={t`Outputs of the map`}
            heads={[t`Output`, t`Address`, t`Type`, t`Scale`, t`Unit`, t`Range`, t`Read back`]}
            rows={outputs.map(({ name, output }) => [
              name,
              output.at,
              output.as,
              scaleText(output),
              output.unit === '' ? '--' : output.unit,
              t`${output.range[0]} to ${output.range[1]}`,
              output.readback ?? '--',
            ])}
          />
        </Panel>
      )}
      {events.length > 0 && (
        <Panel title={t`Events`}>
          <Table
            label={t`Events of the map`}
            heads={[t`Event`, t`Machine signal`, t`Writes that trigger it`]}
            rows={events.map(({ name, event }) => [name, event.when ?? '--', stepsText(event.on) || '--'])}
          />
        </Panel>
      )}
    </>
  );
};

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="label-mono">{label}</dt>
    <dd className="figures mt-0.5 break-words text-strong">{children}</dd>
  </div>
);

/** A wide table: on a phone it scrolls in its own frame with a fixed first column. */
const Table = ({
  label,
  heads,
  rows,
}: {
  label: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
}) => (
  // A scrollable region must be reachable by keyboard.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <section className="overflow-x-auto" aria-label={label} tabIndex={0}>
    <table className="w-full text-sm">
      <thead>
        <tr className="border-b border-stroke text-left">
          {heads.map((head) => (
            <th
              key={head}
              scope="col"
              className="label-mono px-4 py-2.5 font-medium whitespace-nowrap first:sticky first:left-0 first:bg-surface"
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells]) => (
          <tr key={name} className="border-b border-stroke last:border-0">
            <th
              scope="row"
              className="sticky left-0 bg-surface px-4 py-2.5 text-left font-mono text-xs font-medium text-strong"
            >
              {name}
            </th>
            {cells.map((cell, index) => (
              <td
                key={heads[index + 1]}
                className="figures px-4 py-2.5 font-mono text-xs whitespace-nowrap text-content"
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
