import { good, notConfigured, skipped, trouble, warning, withoutPage, type Check, type Verdict } from './check.ts';
import type { BoardUnderCheck } from './board-under-check.ts';

interface Shown {
  readonly channel: string;
  readonly value: number | null;
  readonly unit: string;
  readonly why?: string;
}

/** A drum or its air is never colder or hotter than this, °C; a wrong word order or scale nearly always is. */
const believable = { from: -20, to: 700 };
const oldMs = 15_000;

const say = ({ channel, value, unit, why }: Shown): string => {
  if (value === null) return `${channel} --${why === undefined ? '' : ` (${why})`}`;
  return `${channel} ${Math.round(value * 10) / 10}${unit === '' || unit === 'bool' ? '' : ` ${unit}`}`;
};

const remedyFor = (values: readonly Shown[]): string => {
  const isSo = (quality: string): boolean => values.some(({ why }) => why === quality);
  if (isSo('refused'))
    return 'The machine has no such register. Correct the address of that channel in the machine map, or remove the channel if the machine has no such probe.';
  if (isSo('out of range'))
    return 'Check that the probe is plugged in and undamaged. If the machine’s display shows a value, the address, word order or scale of that channel is wrong in the machine map.';
  return 'Check that the probe is plugged in. If the machine has no such probe, remove the channel from the machine map.';
};

const judge = (values: readonly Shown[]): Verdict => {
  const all = values.map(say).join(', ');
  const isOdd = ({ value, unit }: Shown): boolean =>
    value !== null &&
    ((unit === '°C' && (value < believable.from || value > believable.to)) ||
      (unit === '%' && (value < -1 || value > 101)));
  const odd = values.filter(isOdd).map(say);
  const absent = values.filter(({ value }) => value === null).map(({ channel }) => channel);
  if (absent.length === values.length)
    return trouble(
      `No channel has a valid value: ${all}.`,
      'The machine answers, but not as the map expects. Check whether the map is for this model, or choose another in the portal.',
    );
  if (odd.length > 0)
    return trouble(
      `${odd.join(', ')} can't be right: ${all}.`,
      'Compare with the display of the machine. The address, word order or scale of that channel is wrong in the machine map.',
    );
  if (absent.length > 0) {
    // A roast needs a bean temperature.
    const verdict = absent.includes('bean_temp') ? trouble : warning;
    return verdict(`No valid value from ${absent.join(', ')}: ${all}.`, remedyFor(values));
  }
  return good(all);
};

const valuesOf = async (board: BoardUnderCheck): Promise<readonly Shown[] | string> => {
  const agent = await board.agent();
  if (agent.kind === 'unseen' || agent.kind === 'unknown') return `only the agent has them, and ${withoutPage(agent)}`;
  if (agent.kind === 'seen') {
    const { values, values_age_ms: age, machine } = agent.status;
    if (age === null || age >= oldMs) return 'no recent reading';
    const reasons = (machine.detail ?? '').split(', ');
    return values.map((shown) => {
      const why = reasons.find((reason) => reason.startsWith(`${shown.channel}: `))?.slice(shown.channel.length + 2);
      return shown.value !== null || why === undefined ? shown : { ...shown, why };
    });
  }
  const reading = await board.reading();
  if (reading?.kind !== 'read') return 'no reading yet';
  return reading.channels.map(({ channel, value, unit, quality }) => ({
    channel,
    value,
    unit,
    ...(quality === 'ok' ? {} : { why: quality.replaceAll('_', ' ') }),
  }));
};

/** Checks that the value of each channel is plausible. */
export const checkValues: Check = {
  name: 'values',
  async run(board) {
    if (!board.config) return notConfigured;
    const values = await valuesOf(board);
    return typeof values === 'string' ? skipped(values) : judge(values);
  },
};
