import type { Link } from '@roastery/contract/machine-map';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { t } from '../../language/t.ts';
import { TextField } from '../../ui/TextField.tsx';
import { NumberField } from '../number-fields.tsx';

/** An empty field is null. */
export const textOrNull = (typed: string | null): string | null =>
  typed === null || typed.trim() === '' ? null : typed.trim();
export const numberOrNull = (typed: string | number | null): number | null =>
  typed === '' || typed === null ? null : Number(typed);

type Registered = UseFormRegisterReturn & { error: string | undefined };
interface AddressFieldsProps {
  /** Of the chosen map. */
  link: Link;
  host: Registered;
  port: Registered;
  path: Registered;
}

/** The machine's address for its board: in the network, or a serial adapter. */
export const AddressFields = ({ link, host, port, path }: AddressFieldsProps) =>
  'path' in link ? (
    <TextField
      label={t`Serial adapter`}
      mono
      placeholder={link.path}
      hint={t`${link.baud} baud, from the map. Leave empty for ${link.path}.`}
      {...path}
    />
  ) : (
    <div className="grid grid-cols-[1fr_7rem] gap-4">
      <TextField
        label={t`Machine’s address`}
        mono
        placeholder={link.host}
        hint={t`IP address of the roaster in your network`}
        {...host}
      />
      <NumberField label={t`Port`} placeholder={String(link.port)} {...port} />
    </div>
  );
