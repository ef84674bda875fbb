import { linkKinds, linkShape, type Link } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { linkLabel } from '../../components/machine-maps/map-labels.tsx';
import { t } from '../../language/t.ts';
import { Select } from '../../ui/Select.tsx';
import { NumberField } from '../../components/number-fields.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { DraftProblems } from './map-draft.ts';
import { figure } from './register-draft.ts';

const kinds = linkKinds.map((value) => ({ value, label: linkLabel[value] }));
const rates = ['2400', '4800', '9600', '19200', '38400', '57600', '115200'].map((value) => ({ value, label: value }));
const parities = [
  { value: 'none', label: t`None` },
  { value: 'even', label: t`Even` },
  { value: 'odd', label: t`Odd` },
] as const;
const choicesOf = (...values: string[]) => values.map((value) => ({ value, label: value }));

const freshLink = (kind: Link['kind']): Link =>
  parseOrThrow(linkShape, kind === 'tcp' || kind === 'rtu-over-tcp' ? { kind, host: '192.168.0.10' } : { kind });
const isSerial = (link: Link): link is Extract<Link, { path: string }> => 'path' in link;

interface LinkFieldsProps {
  link: Link;
  problems: DraftProblems;
  onChange: (link: Link) => void;
}

/** Fields of the connection to the machine. */
export const LinkFields = ({ link, problems, onChange }: LinkFieldsProps) => (
  <>
    <Select
      label={t`Line`}
      choices={kinds}
      value={link.kind}
      onChange={(kind) => {
        // The settings of a serial line stay when only its framing changes, and so does an address.
        const fresh = freshLink(kind);
        if (isSerial(fresh)) onChange(isSerial(link) ? { ...link, kind: fresh.kind } : fresh);
        else onChange(isSerial(link) ? fresh : { ...link, kind: fresh.kind });
      }}
      error={problems['link.kind']}
    />
    {isSerial(link) ? (
      <>
        <TextField
          label={t`Serial adapter`}
          mono
          value={link.path}
          onChange={(event) => onChange({ ...link, path: event.target.value })}
          error={problems['link.path']}
        />
        <Select
          label={t`Baud`}
          choices={
            rates.some(({ value }) => value === String(link.baud)) ? rates : [...rates, ...choicesOf(String(link.baud))]
          }
          value={String(link.baud)}
          onChange={(baud) => onChange({ ...link, baud: Number(baud) })}
          error={problems['link.baud']}
        />
        <Select
          label={t`Parity`}
          choices={parities}
          value={link.parity}
          onChange={(parity) => onChange({ ...link, parity })}
        />
        <Select
          label={t`Data bits`}
          choices={choicesOf('7', '8')}
          value={String(link.dataBits)}
          onChange={(bits) => onChange({ ...link, dataBits: bits === '7' ? 7 : 8 })}
        />
        <Select
          label={t`Stop bits`}
          choices={choicesOf('1', '2')}
          value={String(link.stopBits)}
          onChange={(bits) => onChange({ ...link, stopBits: bits === '2' ? 2 : 1 })}
        />
      </>
    ) : (
      <>
        <TextField
          label={t`Host`}
          mono
          hint={t`The usual address. Each machine can have its own.`}
          value={link.host}
          onChange={(event) => onChange({ ...link, host: event.target.value })}
          error={problems['link.host']}
        />
        <NumberField
          label={t`Port`}
          value={Number.isNaN(link.port) ? '' : String(link.port)}
          onChange={(event) => onChange({ ...link, port: figure(event.target.value) })}
          error={problems['link.port']}
        />
      </>
    )}
  </>
);
