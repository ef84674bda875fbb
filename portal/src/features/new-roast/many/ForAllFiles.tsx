import { changeRoastImport, type RoastImport } from '@roastery/contract/roast-imports';
import type { BodyOf } from '@roastery/contract/endpoint';
import { call } from '../../../api/call.ts';
import { useUser } from '../../../api/session.tsx';
import type { InOrder } from '../../../api/use-api.ts';
import { LotField } from '../../../components/LotField.tsx';
import { MachineField } from '../../../components/MachineField.tsx';
import { attempt } from '../../../components/attempt.ts';
import { SavedChoice } from '../../../components/saved-fields.tsx';
import { TimeZoneField, zoneLabel } from '../../../components/TimeZoneField.tsx';
import { t } from '../../../language/t.ts';
import { Panel } from '../../../ui/Card.tsx';
import { Checkbox } from '../../../ui/Checkbox.tsx';

interface ForAllFilesProps {
  import: RoastImport;
  inOrder: InOrder;
  onChanged: (next: RoastImport) => Promise<void>;
}

/** Machine, lot and time zone of every file without its own. */
export const ForAllFiles = ({ import: one, inOrder, onChanged }: ForAllFilesProps) => {
  const { roastery_time_zone: roasteryZone } = useUser();
  const change = (body: BodyOf<typeof changeRoastImport>) =>
    attempt(
      () => inOrder(async () => onChanged(await call(changeRoastImport, { params: { id: one.id }, body }))),
      t`The import could not be changed`,
    );
  return (
    <Panel title={t`For files without a machine, lot or time zone`}>
      <div className="grid items-start gap-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
        <SavedChoice stored={one.machine_id} onChosen={(machine_id) => change({ machine_id })}>
          {(id, choose) => <MachineField value={id} placeholder={t`From the file`} onChange={choose} />}
        </SavedChoice>
        <SavedChoice stored={one.lot_id} onChosen={(lot_id) => change({ lot_id })}>
          {(id, choose) => <LotField value={id} placeholder={t`From the coffee name`} onChange={choose} />}
        </SavedChoice>
        <SavedChoice stored={one.time_zone} onChosen={(time_zone) => change({ time_zone })}>
          {(zone, choose) => (
            <TimeZoneField
              label={t`Time zone of the files`}
              placeholder={t`The roastery’s: ${zoneLabel(roasteryZone)}`}
              hint={t`For programs that write the time without one.`}
              value={zone}
              onChange={choose}
            />
          )}
        </SavedChoice>
        <SavedChoice stored={one.takes_green} onChosen={(takes_green) => change({ takes_green })}>
          {(takes, choose) => (
            <Checkbox
              className="sm:col-span-2 lg:col-span-3"
              label={t`Deduct the green coffee of these roasts from their lots`}
              checked={takes}
              onChange={choose}
            />
          )}
        </SavedChoice>
      </div>
    </Panel>
  );
};
