import { linkShape, type Link } from '@roastery/contract/machine-map';
import { parseShape } from '@roastery/contract/parse-shape';
import { useState } from 'react';
import { linkLabel } from '../../components/machine-maps/map-labels.tsx';
import { t } from '../../language/t.ts';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';

const networkKinds = ['tcp', 'rtu-over-tcp'] as const;
const serialKinds = ['rtu', 'ascii'] as const;

/** The kinds of line that an address can have: a path is a serial adapter. */
const kindsOf = (address: string) => (address.trim().startsWith('/') ? serialKinds : networkKinds);

/** `192.168.0.20`, `192.168.0.20:502` or `/dev/ttyUSB0` on a line of this kind. */
const linkFrom = (kind: Link['kind'], address: string): Link | undefined => {
  const typed = address.trim();
  const line = typed.startsWith('/')
    ? { kind, path: typed }
    : { kind, host: typed.replace(/:\d+$/, ''), port: Number(/:(\d+)$/.exec(typed)?.[1] ?? 502) };
  return parseShape(linkShape, line).data;
};

/** Address and kind of a machine's line, for a board without a map. */
export const MachineLinkFields = ({ onLink }: { onLink: (link: Link | undefined) => void }) => {
  const [address, setAddress] = useState('');
  const [kind, setKind] = useState<Link['kind']>('tcp');
  const change = (nextAddress: string, nextKind: Link['kind']) => {
    const kinds: readonly Link['kind'][] = kindsOf(nextAddress);
    const fitting = kinds.includes(nextKind) ? nextKind : kindsOf(nextAddress)[0];
    setAddress(nextAddress);
    setKind(fitting);
    onLink(linkFrom(fitting, nextAddress));
  };
  return (
    <div className="grid gap-4 p-4 pb-0 md:grid-cols-2">
      <TextField
        label={t`Machine address`}
        hint={t`The board has no map yet. An address like 192.168.0.20 or 192.168.0.20:502, or a serial adapter like /dev/ttyUSB0`}
        value={address}
        onChange={(event) => change(event.target.value, kind)}
      />
      <Select
        label={t`Protocol`}
        choices={kindsOf(address).map((value) => ({ value, label: t`Modbus ${linkLabel[value]}` }))}
        value={kind}
        onChange={(value) => change(address, value)}
      />
    </div>
  );
};
