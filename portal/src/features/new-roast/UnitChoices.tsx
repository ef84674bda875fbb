import type { Upload } from '@roastery/contract/imports';
import { formatDuration } from '@roastery/roasting/units';
import { SavedChoice } from '../../components/saved-fields.tsx';
import { TimeZoneField } from '../../components/TimeZoneField.tsx';
import { t } from '../../language/t.ts';
import { Segments } from '../../ui/Segments.tsx';
import { isPlainTable } from '../../components/program-names.ts';
import type { Choices } from './use-choices.ts';

const sources: Record<Upload['time_unit']['source'], string> = {
  file: t`from the file`,
  guess: t`detected from the values`,
  person: t`set by you`,
};
const temperatureUnits = [
  { value: 'C', label: '°C' },
  { value: 'F', label: '°F' },
] as const;
const timeUnits = [
  { value: 's', label: 's' },
  { value: 'cs', label: 'cs' },
  { value: 'ms', label: 'ms' },
  { value: 'min', label: 'min' },
  { value: 'h', label: 'h' },
] as const;

interface UnitChoicesProps {
  upload: Upload;
  choices: Choices;
}

/** Units of the file: the value, its source, and a choice to change it. */
export const UnitChoices = ({ upload, choices: { isSaving, choose } }: UnitChoicesProps) => {
  const { temperature_unit: temperature, time_unit: time } = upload;
  return (
    <div className="flex flex-wrap gap-x-8 gap-y-3" aria-busy={isSaving}>
      <div>
        <p className="pb-1 text-sm font-medium text-content">{t`Temperatures`}</p>
        <SavedChoice stored={temperature.value} onChosen={(unit) => choose({ temperature_unit: unit })}>
          {(unit, change) => (
            <Segments label={t`Unit of temperature`} choices={temperatureUnits} value={unit} onChange={change} />
          )}
        </SavedChoice>
        <p className="pt-1 text-xs text-muted">{sources[temperature.source]}</p>
      </div>
      {isPlainTable(upload.format) && (
        <div>
          <p className="pb-1 text-sm font-medium text-content">{t`Times`}</p>
          <SavedChoice stored={time.value} onChosen={(unit) => choose({ time_unit: unit })}>
            {(unit, change) => <Segments label={t`Unit of time`} choices={timeUnits} value={unit} onChange={change} />}
          </SavedChoice>
          <p className="pt-1 text-xs text-muted">{sources[time.source]}</p>
        </div>
      )}
      {upload.time_zone !== null && (
        <SavedChoice stored={upload.time_zone} onChosen={(zone) => choose({ time_zone: zone })}>
          {(zone, change) => (
            <TimeZoneField
              className="w-56"
              label={t`Time zone of the file`}
              hint={upload.choices.time_zone === undefined ? t`the roastery’s: the file names none` : sources.person}
              value={zone}
              onChange={(next) => next !== null && change(next)}
            />
          )}
        </SavedChoice>
      )}
      <div>
        <p className="pb-1 text-sm font-medium text-content">{t`Recorded`}</p>
        <p className="figures flex h-8 items-center text-base text-strong">{formatDuration(upload.recorded_seconds)}</p>
      </div>
    </div>
  );
};
