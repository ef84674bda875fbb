import type { Upload } from '@roastery/contract/imports';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { paths } from '../../components/paths.ts';
import { formatBytes, formatCount } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Card, Panel } from '../../ui/Card.tsx';
import { ChannelsFound } from './ChannelsFound.tsx';
import { CurveSketch } from './CurveSketch.tsx';
import { formatNames } from '../../components/program-names.ts';
import { MachineDoubts } from './MachineDoubts.tsx';
import { MarksFound } from './MarksFound.tsx';
import { ImportForm } from './ImportForm.tsx';
import { TableColumns } from './TableColumns.tsx';
import { UnitChoices } from './UnitChoices.tsx';
import { UpdateRoast } from './UpdateRoast.tsx';
import { useChoices } from './use-choices.ts';

interface UploadPreviewProps {
  upload: Upload;
  /** One file of an import of many. */
  isOfImport: boolean;
  onChanged: (upload: Upload) => Promise<unknown>;
  onAnother: () => void;
}

/** The contents of a file, what was detected, and the import form. */
export const UploadPreview = ({ upload, isOfImport, onChanged, onAnother }: UploadPreviewProps) => {
  const choices = useChoices(upload, onChanged);
  const [machineId, setMachineId] = useState(upload.machine_id);
  const { table, roast_id: roastId } = upload;
  const isUnread = table !== null && upload.samples === 0;
  return (
    <div className="flex flex-col gap-4">
      <Card className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
        <div className="min-w-0">
          <p className="truncate text-base font-medium text-strong">{upload.file_name}</p>
          <p className="figures text-sm text-muted">
            {upload.source_batch === null
              ? t`${formatNames[upload.format]} · ${formatBytes(upload.size_bytes)} · ${formatCount(upload.samples)} samples`
              : t`${formatNames[upload.format]} · ${formatBytes(upload.size_bytes)} · ${formatCount(upload.samples)} samples · batch ${upload.source_batch}`}
          </p>
        </div>
        {roastId === null ? (
          <Button onClick={onAnother}>{isOfImport ? t`Back to the import` : t`Choose another file`}</Button>
        ) : (
          <ButtonLink to={paths.roast(roastId)}>{t`Back to the roast`}</ButtonLink>
        )}
      </Card>
      <Duplicates duplicates={upload.duplicates} />
      <MachineDoubts upload={upload} machineId={machineId} />
      <Warnings upload={upload} />
      {isUnread ? (
        <TableColumns table={table} choices={choices} isMissing />
      ) : (
        <>
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Panel title={t`Curve`}>
              <div className="flex flex-col gap-4 p-4">
                <CurveSketch upload={upload} />
                <UnitChoices upload={upload} choices={choices} />
              </div>
            </Panel>
            <div className="flex flex-col gap-4">
              <MarksFound upload={upload} choices={choices} />
              <ChannelsFound channels={upload.channels} samples={upload.samples} />
            </div>
          </div>
          {table !== null && <TableColumns table={table} choices={choices} isMissing={false} />}
          {roastId === null ? (
            <ImportForm upload={upload} isBeingRead={choices.isSaving} onMachine={setMachineId} />
          ) : (
            <UpdateRoast upload={upload} roastId={roastId} isBeingRead={choices.isSaving} />
          )}
        </>
      )}
    </div>
  );
};

const sameWords = ({ same, differs }: Upload['duplicates'][number]): string => {
  if (same === 'file') return t`the same file`;
  const [isDate, isNumber] = (['date', 'number'] as const).map((what) => differs.includes(what));
  if (isDate && isNumber) return t`the same curve, saved again with another date and another number`;
  if (isDate) return t`the same curve, saved again with another date`;
  return isNumber ? t`the same curve, saved again with another number` : t`the same curve`;
};

const Duplicates = ({ duplicates }: Pick<Upload, 'duplicates'>) => {
  const dates = useDates();
  if (duplicates.length === 0) return null;
  return (
    <section
      aria-label={t`Duplicates`}
      className="flex gap-3 rounded-lg border border-warning/40 bg-warning-soft px-4 py-3 text-sm text-strong"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
      <div className="min-w-0">
        <p className="font-semibold">{t`This roast was imported before.`}</p>
        <ul>
          {duplicates.map((one) => (
            <li key={one.roast_id}>
              {t`${(
                <Link to={paths.roast(one.roast_id)} className="rounded-sm text-accent-text hover:underline">
                  {roastName(one)}
                </Link>
              )} of ${dates.dayAndTime(one.start_time)}: ${sameWords(one)}`}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
};

const Warnings = ({ upload }: { upload: Upload }) => {
  const sentences = [...(upload.missing === null ? [] : [upload.missing]), ...upload.warnings];
  if (sentences.length === 0) return null;
  return (
    <ul
      aria-label={t`What to check`}
      className="flex flex-col gap-1 rounded-lg border border-stroke bg-surface px-4 py-3"
    >
      {sentences.map((sentence) => (
        <li key={sentence} className="flex items-start gap-2 text-sm text-content">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warning" />
          {sentence}
        </li>
      ))}
    </ul>
  );
};
