import type { AlarmRule } from '@roastery/contract/alarm-rules';
import { describe, expect, it } from 'vitest';
import type { Units } from '../../format/quantities.ts';
import { ruleText } from './rule-texts.ts';
import { emptyRule, readRule, valuesOfRule } from './rule-values.ts';

const celsius: Units = { temperature_unit: 'C', rate_unit: 'per_minute' };
const fahrenheit: Units = { temperature_unit: 'F', rate_unit: 'per_30_seconds' };

const rule = (condition: AlarmRule['condition'], armed_after: AlarmRule['armed_after'] = 'charge'): AlarmRule => ({
  id: '0198c0de-0000-7000-8000-000000000001',
  condition,
  armed_after,
  message: 'Look',
  colour: 'red',
  sound: false,
  push: false,
  is_enabled: true,
  revision: 1,
});

const stored: readonly [AlarmRule['condition'], string, string][] = [
  [{ kind: 'time', after: 'first_crack', seconds: 90 }, '1:30 after First Crack', '1:30 after First Crack'],
  [
    { kind: 'temperature', channel: 'exhaust_temp', side: 'above', temp_c: 250 },
    'Exhaust Temp is above 250.0 °C',
    'Exhaust Temp is above 482.0 °F',
  ],
  [
    { kind: 'rate_of_rise', side: 'below', c_per_minute: 5 },
    'Rate of Rise is below 5.0 °C/min',
    'Rate of Rise is below 4.5 °F/30 s',
  ],
  [
    { kind: 'reference_distance', side: 'below', distance_c: 5 },
    'More than 5.0 °C below the reference',
    'More than 9.0 °F below the reference',
  ],
  [
    { kind: 'phase_share', phase: 'development', percent: 20 },
    'Development reaches 20.0%',
    'Development reaches 20.0%',
  ],
  [
    { kind: 'channel_frozen', channel: 'bean_temp', seconds: 20 },
    'Bean Temp does not change for 20 s',
    'Bean Temp does not change for 20 s',
  ],
];

describe('alarm rule form', () => {
  it.each(stored)('reads and writes %o in both units', (condition, inCelsius, inFahrenheit) => {
    for (const [units, text] of [
      [celsius, inCelsius],
      [fahrenheit, inFahrenheit],
    ] as const) {
      expect(ruleText(rule(condition), units)).toBe(text);
      expect(readRule(valuesOfRule(rule(condition), units), units)).toMatchObject({ ok: true, body: { condition } });
    }
  });

  it('reports an invalid figure and an invalid message', () => {
    expect(readRule(emptyRule, celsius)).toEqual({
      ok: false,
      figure: 'Enter a temperature',
      message: 'Enter a message',
    });
    const hot = { ...emptyRule, figure: '900', message: 'Hot' };
    expect(readRule(hot, celsius)).toEqual({ ok: false, figure: 'Use 500 °C or less' });
  });

  it.each([
    ['temperature', '9000', 'Use 500 °C or less', 'Use 932 °F or less'],
    ['temperature', '-90', 'Use 0 °C or more', 'Use 32 °F or more'],
    ['rate_of_rise', '-900', 'Use -50 °C/min or more', 'Use -45 °F/30 s or more'],
    ['rate_of_rise', '900', 'Use 100 °C/min or less', 'Use 90 °F/30 s or less'],
    ['reference_distance', '0.1', 'Use 0.5 °C or more', 'Use 0.9 °F or more'],
    ['phase_share', '900', 'Use 100 % or less', 'Use 100 % or less'],
    ['channel_frozen', '2', 'Use 5 s or more', 'Use 5 s or more'],
  ] as const)('reports the limit of a %s of %s in the user’s units', (kind, figure, inCelsius, inFahrenheit) => {
    const values = { ...emptyRule, kind, figure, message: 'Look' };
    expect(readRule(values, celsius)).toEqual({ ok: false, figure: inCelsius });
    expect(readRule(values, fahrenheit)).toEqual({ ok: false, figure: inFahrenheit });
  });

  it('names the mark that arms a rule', () => {
    const slow = rule({ kind: 'rate_of_rise', side: 'below', c_per_minute: 5 }, 'first_crack');
    expect(ruleText(slow, celsius)).toBe('Rate of Rise is below 5.0 °C/min, after First Crack');
  });
});
