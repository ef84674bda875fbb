import { describe, expect, it } from 'vitest';
import { isDerived, knownChannel, meaningOf } from './head-meaning.ts';

describe('the meaning of a head', () => {
  it.each([
    ['BT', 'bean_temp'],
    ['bean_temp_c', 'bean_temp'],
    ['BeanTemperature', 'bean_temp'],
    ['BT (bean temperature ºF)', 'bean_temp'],
    ['t_bean', 'bean_temp'],
    ['BTC', 'bean_temp'],
    ['Tbean', 'bean_temp'],
    ['BT_avg', 'bean_temp'],
    ['Kaffeetemperatur', 'bean_temp'],
    ['Produkt', undefined],
    ['Bohnentemperatur', 'bean_temp'],
    ['température des grains', 'bean_temp'],
    ['豆温', 'bean_temp'],
    ['bean mass (g)', undefined],
    ['bean temp target', undefined],
    ['bean_temp_min', undefined],
    ['ET', 'exhaust_temp'],
    ['env_temp_f', 'exhaust_temp'],
    ['Air temp (°C)', 'exhaust_temp'],
    ['排风温度', 'exhaust_temp'],
    ['exhaust gas temp', 'exhaust_temp'],
    ['Abgas [°C]', 'exhaust_temp'],
    ['gas', 'heat_power'],
    ['temperatura do grão', 'bean_temp'],
    ['Air', 'fan_speed'],
    ['air flow', 'fan_speed'],
    ['exhaust damper', 'fan_speed'],
    ['fan_pct', 'fan_speed'],
    ['fan rpm', undefined],
    ['HeaterPower (%)', 'heat_power'],
    ['火力', 'heat_power'],
    ['heater temp', undefined],
    ['Drum', 'drum_speed'],
    ['drum temp', undefined],
    ['burner front temp', 'burner_front_temp'],
  ])('%s: is the channel %s', (head, channel) => {
    expect(knownChannel(head)?.channel).toBe(channel);
  });

  it.each([
    ['t', 'time', undefined],
    ['Time (s)', 'time', 's'],
    ['elapsed_ms', 'time', 'ms'],
    ['roast_time_min', 'time', 'min'],
    ['m:s', 'time', undefined],
    ['hh:mm:ss', 'time', undefined],
    ['tsec', 'time', 's'],
    ['seconds since start', 'time', 's'],
    ['Date America/Los_Angeles', 'time', undefined],
    ['first crack time', 'channel', undefined],
    ['drop temp', 'channel', undefined],
    ['Since charge', 'none', undefined],
    ['sample no', 'none', undefined],
    ['Events', 'event', undefined],
  ])('%s: is a %s in %s', (head, use, unit) => {
    expect([meaningOf(head)?.use, meaningOf(head)?.timeUnit]).toEqual([use, unit]);
  });

  it.each([
    ['BT RoR', true],
    ['ror_c_per_min', true],
    ['Rate of rise (°C/min)', true],
    ['dBT', true],
    ['ΔBT', true],
    ['Delta ET', true],
    ['°F / 30 s', true],
    ['升温速率', true],
    ['DeltaBTET', false],
    ['Inlet (°C)', false],
    ['heart rate', false],
  ])('%s: is a rate of rise: %s', (head, is) => {
    expect(isDerived(head)).toBe(is);
  });
});
