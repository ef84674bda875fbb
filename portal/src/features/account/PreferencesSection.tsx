import type { Preferences } from '@roastery/contract/auth';
import { massUnits } from '@roastery/roasting/units';
import { Monitor, Moon, Sun } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { attempt } from '../../components/attempt.ts';
import { Measure } from '../../components/figures.tsx';
import { defaultRegion } from '../../format/conventions.ts';
import { weekdayNames } from '../../format/calendar.ts';
import { regionName } from '../../format/dates.ts';
import { formatNumber } from '../../format/numbers.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { chooseTheme } from '../../ui/theme.ts';
import { regionChoices } from './regions.ts';
import { Section } from './Section.tsx';

const themes = [
  { value: 'system', label: t`System`, icon: <Monitor aria-hidden /> },
  { value: 'light', label: t`Light`, icon: <Sun aria-hidden /> },
  { value: 'dark', label: t`Dark`, icon: <Moon aria-hidden /> },
] as const;
const exampleTemp = 204.5;
const exampleRate = 8.2;
const exampleKg = 12.5;

/** Each choice takes effect at once and applies to the account on every device. */
export const PreferencesSection = () => {
  const { changePreferences } = useSession();
  const preferences = usePreferences();
  const dates = useDates();
  const { date_language: region, temperature_unit: degree } = preferences;
  const [now] = useState(() => Date.now());
  // Until then only the chosen one has a name: how each region writes dates takes a phone 120 ms.
  const [isOpened, setOpened] = useState(false);
  const regions = useMemo(() => (isOpened ? regionChoices(region, now) : []), [isOpened, region, now]);

  const [firstDay] = weekdayNames();

  const keep = (change: Partial<Preferences>) => {
    if (change.theme !== undefined) chooseTheme(change.theme);
    void attempt(() => changePreferences(change), t`The preference could not be saved`);
  };

  return (
    <Section title={t`Preferences`} text={t`Apply to your account on every device.`}>
      <div className="flex flex-col gap-5">
        <Segments
          label={t`Theme`}
          showLabel
          choices={themes}
          value={preferences.theme}
          onChange={(theme) => keep({ theme })}
        />
        <div className="grid gap-5 sm:grid-cols-2">
          <div className="flex flex-col gap-1.5">
            <Segments
              label={t`Temperature`}
              showLabel
              choices={[
                { value: 'C', label: '°C' },
                { value: 'F', label: '°F' },
              ]}
              value={degree}
              onChange={(temperature_unit) => keep({ temperature_unit })}
            />
            <p className="text-xs text-muted">
              {t`Example drop: ${<Measure quantity="temperature" value={exampleTemp} />}`}
            </p>
          </div>
          <div className="flex flex-col gap-1.5">
            <Segments
              label={t`Rate of rise`}
              showLabel
              choices={[
                { value: 'per_minute', label: `°${degree}/min` },
                { value: 'per_30_seconds', label: `°${degree}/30 s` },
              ]}
              value={preferences.rate_unit}
              onChange={(rate_unit) => keep({ rate_unit })}
            />
            <p className="text-xs text-muted">{t`Example rate: ${<Measure quantity="rate" value={exampleRate} />}`}</p>
          </div>
        </div>
        <div className="flex flex-col gap-1.5">
          <Segments
            label={t`Weight`}
            showLabel
            choices={massUnits.map((unit) => ({ value: unit, label: unit }))}
            value={preferences.weight_unit}
            onChange={(weight_unit) => keep({ weight_unit })}
          />
          <p className="text-xs text-muted">{t`Example batch: ${<Measure quantity="weight" value={exampleKg} />}`}</p>
        </div>
        <Combobox
          label={t`Region`}
          className="max-w-sm"
          choices={isOpened ? regions : [{ value: region, label: regionName(region) }]}
          onOpen={() => setOpened(true)}
          value={region}
          onChange={(date_language) => keep({ date_language: date_language ?? defaultRegion })}
          hint={t`Dates and numbers: ${dates.day(now)}, ${dates.dayAndTime(now)}, ${formatNumber(1234.5, 1)}. Weeks begin on ${firstDay?.long ?? ''}.`}
        />
      </div>
    </Section>
  );
};
