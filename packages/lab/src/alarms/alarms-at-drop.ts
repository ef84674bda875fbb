import { createAlarmWatch, type AlarmContext } from '@roastery/roasting/alarm-rules';
import type { ForecastRoast } from '../forecast/past-roasts.ts';

/** A board reports the drop this long after it, s. */
const knownAfterSeconds = 12;
const beforeDropSeconds = 2;

export interface AtDrop {
  readonly roast: ForecastRoast;
  /** The rule fired only because of the drop: from 2 s before it until its mark is reported. */
  readonly isFalse: boolean;
}

/**
 * A rule for a rate of rise below 2 °C/min after the turning point, over roasts whose drop is reported slightly late.
 */
export const judgeAtDrop = (roasts: readonly ForecastRoast[]): AtDrop[] =>
  roasts.map((roast) => {
    const watch = createAlarmWatch();
    const context: AlarmContext = {
      marks: [{ kind: 'turning_point', timeSeconds: roast.turnSeconds }],
      rules: [
        {
          id: 'slow',
          condition: { kind: 'rate_of_rise', side: 'below', c_per_minute: 2 },
          // By then the live rate has turned too.
          armedAfter: 'turning_point',
          fromSeconds: roast.turnSeconds + 30,
        },
      ],
      referenceAt: () => null,
    };
    const fired = roast.timesSeconds.flatMap((seconds, index) =>
      seconds < 0 || seconds > roast.dropSeconds + knownAfterSeconds
        ? []
        : watch
            .push(seconds, { bean_temp: roast.tempsC[index] ?? null }, context)
            .flatMap((finding) => (finding.kind === 'rule' ? [finding.atSeconds] : [])),
    );
    return { roast, isFalse: fired.some((seconds) => seconds > roast.dropSeconds - beforeDropSeconds) };
  });
