import { changeRoastImport, type RoastImport } from '@roastery/contract/roast-imports';
import type { BodyOf } from '@roastery/contract/endpoint';
import { sentenceFor } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { LotField } from '../../../components/LotField.tsx';
import { MachineField } from '../../../components/MachineField.tsx';
import { t } from '../../../language/t.ts';
import { Panel } from '../../../ui/Card.tsx';
import { Checkbox } from '../../../ui/Checkbox.tsx';
import { toast } from '../../../ui/toast.ts';

interface ForAllFilesProps {
  import: RoastImport;
  onChanged: (next: RoastImport) => void;
}

/** Machine and lot of every file that has none of its own. */
export const ForAllFiles = ({ import: one, onChanged }: ForAllFilesProps) => {
  const change = async (body: BodyOf<typeof changeRoastImport>) => {
    try {
      onChanged(await call(changeRoastImport, { params: { id: one.id }, body }));
    } catch (error) {
      toast(sentenceFor(error, t`The import could not be changed`), { tone: 'danger' });
    }
  };
  return (
    <Panel title={t`For all files without their own`}>
      <div className="grid items-start gap-4 p-4 sm:grid-cols-2">
        <MachineField
          value={one.machine_id}
          placeholder={t`As the file names it`}
          onChange={(id) => void change({ machine_id: id })}
        />
        <LotField
          value={one.lot_id}
          placeholder={t`As the coffee is named`}
          onChange={(id) => void change({ lot_id: id })}
        />
        <Checkbox
          className="sm:col-span-2"
          label={t`Take the green coffee of these roasts from their lots`}
          checked={one.takes_green}
          onChange={(takes) => void change({ takes_green: takes })}
        />
      </div>
    </Panel>
  );
};
