import type { Upload } from '@roastery/contract/imports';
import { formatDuration, parseDuration } from '@roastery/roasting/units';
import { useState } from 'react';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { Measure } from '../../components/figures.tsx';
import { FormFrame } from '../../components/form/RecordForm.tsx';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { Choices } from './use-choices.ts';

interface MarksFoundProps {
  upload: Upload;
  choices: Choices;
}

/** Marks from the file and detected marks; charge and drop can be set. */
export const MarksFound = ({ upload, choices }: MarksFoundProps) => (
  <Panel title={t`Markers`}>
    {upload.marks.length > 0 && (
      <table className="w-full text-sm">
        <thead className="sr-only">
          <tr>
            <th>{t`Marker`}</th>
            <th>{t`After charge`}</th>
            <th>{t`Bean temperature`}</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-stroke">
          {upload.marks.map((mark) => (
            <tr key={mark.kind}>
              <td className="py-2 pl-4 text-strong">
                {markLabels[mark.kind].long}{' '}
                {mark.origin === 'detector' && (
                  <Badge tone="info" className="ml-1">
                    {t`detected`}
                  </Badge>
                )}
              </td>
              <td className="figures py-2 text-right text-strong">{formatDuration(mark.time_seconds)}</td>
              <td className="py-2 pr-4 text-right">
                <Measure quantity="temperature" value={mark.temp} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
    <SetByHand key={`${upload.charge_seconds}`} upload={upload} choices={choices} />
  </Panel>
);

/** `-0:20`: the recording was started after the charge. */
const signedDuration = (text: string): number | null => {
  const [, minus, rest = ''] = /^\s*([-\u2212])?(.*)$/.exec(text) ?? [];
  const seconds = parseDuration(rest);
  return seconds === null || minus === undefined ? seconds : -seconds;
};

/** Charge and drop on the recording's own clock, as the drawing shows it. */
const SetByHand = ({ upload, choices: { isSaving, choose } }: MarksFoundProps) => {
  const drop = upload.marks.find(({ kind }) => kind === 'drop');
  const charge = upload.charge_seconds;
  const dropAt = drop === undefined || charge === null ? null : drop.time_seconds + charge;
  const [chargeText, setCharge] = useState(charge === null ? '' : formatDuration(charge));
  const [dropText, setDrop] = useState(dropAt === null ? '' : formatDuration(dropAt));
  const [wrong, setWrong] = useState(false);
  const isChanged =
    chargeText !== (charge === null ? '' : formatDuration(charge)) ||
    dropText !== (dropAt === null ? '' : formatDuration(dropAt));
  const apply = () => {
    const seconds = { charge: signedDuration(chargeText), drop: parseDuration(dropText) };
    const isWrong =
      (chargeText !== '' && seconds.charge === null) ||
      (dropText !== '' && seconds.drop === null) ||
      (seconds.charge !== null && seconds.drop !== null && seconds.drop <= seconds.charge);
    setWrong(isWrong);
    if (isWrong) return;
    void choose({
      ...(seconds.charge === null ? {} : { charge_seconds: seconds.charge }),
      ...(seconds.drop === null ? {} : { drop_seconds: seconds.drop }),
    });
  };
  return (
    <FormFrame
      of={{ submit: apply, isDirty: false }}
      label={t`Charge and drop`}
      className="flex flex-wrap items-end gap-3 border-t border-stroke p-4"
    >
      <TextField
        label={t`Charge at`}
        size="sm"
        placeholder="0:30"
        inputMode="numeric"
        className="w-24"
        value={chargeText}
        onChange={(event) => setCharge(event.target.value)}
      />
      <TextField
        label={t`Drop at`}
        size="sm"
        placeholder="11:20"
        inputMode="numeric"
        className="w-24"
        value={dropText}
        onChange={(event) => setDrop(event.target.value)}
      />
      <Button type="submit" busy={isSaving} disabled={!isChanged}>
        {t`Set charge and drop`}
      </Button>
      <p className={`w-full text-xs ${wrong ? 'text-danger' : 'text-muted'}`} role={wrong ? 'alert' : undefined}>
        {wrong
          ? t`Enter times as 11:20. The drop must come after the charge.`
          : t`Minutes and seconds since the recording started; a charge before it as -0:20.`}
      </p>
    </FormFrame>
  );
};
