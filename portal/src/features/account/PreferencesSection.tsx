import type { Preferences } from '@roastery/contract/auth';
import { Monitor, Moon, Sun } from 'lucide-react';
import { useMemo, useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { useSession } from '../../api/session.tsx';
import { Measure } from '../../components/Measure.tsx';
import { useDates, usePreferences } from '../../components/preferences.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { chooseTheme } from '../../ui/theme.ts';
import { toast } from '../../ui/toast.ts';
import { languageChoices } from './date-languages.ts';
import { Section } from './Section.tsx';

const themes = [
  { value: 'system', label: 'System', icon: <Monitor aria-hidden /> },
  { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
] as const;
const exampleTemp = 204.5;
const exampleRate = 8.2;

/** Each choice takes effect at once and goes with the account to every device. */
export const PreferencesSection = () => {
  const { changePreferences } = useSession();
  const preferences = usePreferences();
  const dates = useDates();
  const { date_language: language, temperature_unit: degree } = preferences;
  const [now] = useState(() => Date.now());
  const languages = useMemo(() => languageChoices(language, now), [language, now]);

  const keep = async (change: Partial<Preferences>) => {
    if (change.theme !== undefined) chooseTheme(change.theme);
    try {
      await changePreferences(change);
    } catch (error) {
      toast(sentenceFor(error, 'The choice could not be kept with your account'), { tone: 'danger' });
    }
  };

  return (
    <Section title="Preferences" text="How the portal looks and speaks to you, on every device you sign in on.">
      <div className="flex flex-col gap-5">
        <Segments
          label="Theme"
          showLabel
          choices={themes}
          value={preferences.theme}
          onChange={(theme) => void keep({ theme })}
        />
        <div className="grid gap-5 sm:grid-cols-2">
          <div className="flex flex-col gap-1.5">
            <Segments
              label="Temperature"
              showLabel
              choices={[
                { value: 'C', label: '°C' },
                { value: 'F', label: '°F' },
              ]}
              value={degree}
              onChange={(temperature_unit) => void keep({ temperature_unit })}
            />
            <p className="text-xs text-muted">
              A drop at <Measure quantity="temperature" value={exampleTemp} />
            </p>
          </div>
          <div className="flex flex-col gap-1.5">
            <Segments
              label="Rate of rise"
              showLabel
              choices={[
                { value: 'per_minute', label: `°${degree}/min` },
                { value: 'per_30_seconds', label: `°${degree}/30 s` },
              ]}
              value={preferences.rate_unit}
              onChange={(rate_unit) => void keep({ rate_unit })}
            />
            <p className="text-xs text-muted">
              Rising by <Measure quantity="rate" value={exampleRate} />
            </p>
          </div>
        </div>
        <Combobox
          label="Language of dates"
          className="max-w-sm"
          choices={languages}
          value={language}
          onChange={(date_language) => void keep({ date_language: date_language ?? 'en-US' })}
          hint={`Today is ${dates.day(now)}`}
        />
      </div>
    </Section>
  );
};
