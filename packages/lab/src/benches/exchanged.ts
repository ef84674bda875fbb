import type { Bench, Measurement } from '@roastery/testing/bench';
import {
  bothWays,
  chooseLimits,
  ofSide,
  scoreOf,
  sidesOf,
  withoutSide,
  type BothWays,
  type ExchangeScore,
} from '../channels/exchange-scores.ts';
import { probeConditions, simulatedTwoProbeRoasts, twoProbeRoasts } from '../channels/two-probe-roasts.ts';
import { exchangeLimits, type ExchangeLimits } from '@roastery/roasting/curves/exchanged-channels';

const simulatedSeeds = { from: 71_000, count: 42 } as const;

interface Both {
  readonly right: ExchangeScore;
  readonly exchanged: ExchangeScore;
}
const scored = ({ right, exchanged }: BothWays, limits?: ExchangeLimits): Both => ({
  right: scoreOf(right, 'right', limits),
  exchanged: scoreOf(exchanged, 'exchanged', limits),
});

const cell = ({ roasts, said, silent, wrong }: ExchangeScore): string =>
  `${said} said, ${silent} silent, ${wrong} wrong of ${roasts}`.padEnd(38);
const message = ({ saysAfter }: ExchangeScore): string => (saysAfter === null ? 'never' : `after ${saysAfter}`);
const row = (name: string, { right, exchanged }: Both): string =>
  `${name.padEnd(28)} ${cell(right)} ${message(right).padEnd(8)} ${cell(exchanged)} ${message(exchanged)}`;
const head = `${''.padEnd(28)} ${'right columns'.padEnd(38)} ${'message'.padEnd(8)} ${'exchanged columns'.padEnd(38)} message`;

const aimsOf = (name: string, { right, exchanged }: Both): Measurement[] => [
  {
    what: `${name}: right ones called exchanged`,
    value: right.wrong,
    unit: `of ${right.roasts}`,
    aim: { of: 'value', atMost: 0 },
  },
  {
    what: `${name}: exchanged ones called right`,
    value: exchanged.wrong,
    unit: `of ${exchanged.roasts}`,
    aim: { of: 'value', atMost: 0 },
  },
  { what: `${name}: exchanged ones recognised`, value: exchanged.said, unit: `of ${exchanged.roasts}` },
];

const sum = (scores: readonly ExchangeScore[]): ExchangeScore => ({
  roasts: scores.reduce((total, { roasts }) => total + roasts, 0),
  said: scores.reduce((total, { said }) => total + said, 0),
  silent: scores.reduce((total, { silent }) => total + silent, 0),
  wrong: scores.reduce((total, { wrong }) => total + wrong, 0),
  saysAfter: scores.find(({ saysAfter }) => saysAfter !== null)?.saysAfter ?? null,
});

/** Each maker, also with limits that were chosen on the other makers. */
const onMakers = (name: string, both: BothWays, say: (line: string) => void): Measurement[] => {
  const sides = sidesOf(both);
  say(`\n${name}, limits of the product\n${head}`);
  for (const side of sides) say(row(side, scored(ofSide(both, side))));
  say(`\n${name}, limits chosen on the other makers\n${head}`);
  const heldOut = sides.map((side) => {
    const limits = chooseLimits(withoutSide(both, side));
    const result = scored(ofSide(both, side), limits);
    say(`${row(side, result)}  ${JSON.stringify(Object.values(limits))}`);
    return result;
  });
  const together = {
    right: sum(heldOut.map(({ right }) => right)),
    exchanged: sum(heldOut.map(({ exchanged }) => exchanged)),
  };
  return [
    ...aimsOf(`${name}, limits of the product`, scored(both)),
    ...aimsOf(`${name}, limits of the other makers`, together),
  ];
};

export default {
  title: 'Exchanged channels: bean and exhaust temperature told apart',
  mustReach: true,
  run(say) {
    const recorded = twoProbeRoasts();
    const simulated = simulatedTwoProbeRoasts(simulatedSeeds);
    say(`${recorded.length} recordings with two probes; limits ${JSON.stringify(exchangeLimits)}`);
    const byMaker =
      recorded.length === 0
        ? []
        : [
            ...onMakers('marks of the file', bothWays(recorded, { name: 'as recorded' }, 'file'), say),
            ...onMakers('marks of a board', bothWays(recorded, { name: 'as recorded' }, 'board'), say),
          ];
    say(`\nconditions, limits of the product\n${head}`);
    const byCondition = probeConditions.flatMap((condition) =>
      Object.entries({ recorded, simulated }).flatMap(([name, roasts]) => {
        if (roasts.length === 0) return [];
        const result = scored(bothWays(roasts, condition, 'file'));
        say(row(`${name}, ${condition.name}`, result));
        return aimsOf(`${name}, ${condition.name}`, result);
      }),
    );
    return Promise.resolve([...byMaker, ...byCondition]);
  },
} satisfies Bench;
