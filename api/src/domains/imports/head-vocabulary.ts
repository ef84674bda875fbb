import type { TemperatureUnit, TimeUnit } from '@roastery/roasting/units';

/** What a word in the head of a column says. `t`: a time or a temperature. `filler`: nothing. */
export type Concept =
  | 'time'
  | 't'
  | 'temperature'
  | 'bean'
  | 'mass'
  | 'exhaust'
  | 'air'
  | 'burner'
  | 'fan'
  | 'drum'
  | 'front'
  | 'back'
  | 'power'
  | 'probe'
  | 'ror'
  | 'rate'
  | 'rise'
  | 'delta'
  | 'percent'
  | 'event'
  | 'count'
  | 'number'
  | 'clock'
  | 'filler';

/** The words of each concept, in the languages of programs and roasteries. Compounds such as `beantemp` are split. */
const wordsOf: readonly (readonly [Concept, string])[] = [
  [
    'time',
    `time times timestamp stamp datetime date clock elapsed epoch unix duration runtime uptime timer stopwatch ts zeit laufzeit uhrzeit zeitstempel datum
    röstzeit fecha hora heure tiempo tempo tijd время 時間 时间 시간`,
  ],
  // French for time, and the plural of the temperature.
  ['t', 't temps'],
  [
    'temperature',
    `temp temperature tmp temperatur température temperatura temperatuur температура thermocouple tc 温 溫 温度 溫度 온도`,
  ],
  ['bean', 'bt bean beans bohne bohnen grain grains grano granos grão chicco chicchi bonen зерна 豆 생두'],
  // Of the beans only with a temperature: a column `Coffee` may hold names.
  ['mass', 'coffee kaffee café product pile mass'],
  [
    'exhaust',
    `et env environ environment environmental exhaust exh egt stack outlet exit abluft abgas umgebung salida fumi 排気 排風 排风`,
  ],
  ['air', 'air'],
  ['burner', 'burner heater htr heat heating gas flame brenner 燃燒室 火力'],
  ['fan', 'fan airflow blower damper lüfter 進風量 風門'],
  ['drum', 'drum trommel 滾筒'],
  ['front', 'front fr'],
  ['back', 'back rear'],
  ['power', 'power duty'],
  ['probe', 'probe sensor ch channel input'],
  ['ror', 'ror derivative deriv'],
  ['rate', 'rate'],
  ['rise', 'rise'],
  ['delta', 'delta d'],
  ['percent', '% pct percent prozent percentage'],
  ['event', 'event events mark marks marker markers comment comments note notes annotation milestone'],
  ['count', '# sample samples index idx no nr row id counter'],
  ['clock', 'mm ss hh fff zzz of day wall utc local'],
  [
    'filler',
    `of the in at for del de des dei della do du la le flow roast roaster roasting start begin actual current measured value values
    reading readings raw avg average mean smooth smoothed filtered pv now log logged speed level setting output deg degree degrees`,
  ],
];

const timeUnitWords: readonly (readonly [TimeUnit, string])[] = [
  ['s', 's sec secs second seconds sek sekunde sekunden seg segundos secondes'],
  ['ms', 'ms msec msecs millis millisec millisecs millisecond milliseconds'],
  ['cs', 'cs centisec centisecs centisecond centiseconds'],
  ['min', 'm min mins minute minutes minuten minutos'],
  ['h', 'h hr hrs hour hours std stunden horas heures'],
];
const temperatureUnitWords: readonly (readonly [TemperatureUnit, string])[] = [
  ['C', 'c degc celsius celcius centigrade'],
  ['F', 'f degf fahrenheit'],
];

export interface Word {
  readonly text: string;
  readonly concepts: readonly Concept[];
  readonly timeUnit?: TimeUnit;
  readonly temperatureUnit?: TemperatureUnit;
}

const splitWords = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '');

const vocabulary = new Map<string, Omit<Word, 'text'>>();
const learn = (list: string, learnt: Omit<Word, 'text'>): void => {
  for (const word of splitWords(list)) {
    const known = vocabulary.get(word);
    vocabulary.set(word, { ...known, ...learnt, concepts: [...(known?.concepts ?? []), ...learnt.concepts] });
  }
};
for (const [concept, list] of wordsOf) learn(list, { concepts: [concept] });
for (const [timeUnit, list] of timeUnitWords) learn(list, { concepts: [], timeUnit });
for (const [temperatureUnit, list] of temperatureUnitWords) learn(list, { concepts: [], temperatureUnit });

/** Patterns over names take quadratic time in the length; no column has a longer name. */
const maxNameLength = 120;

export const cutName = (name: string): string => name.slice(0, maxNameLength);

/** Of one sign in scripts of syllables and ideas; a single Latin letter is a unit behind a probe, or a `t`. */
const mayStandAlone = (part: string, isAllowed: boolean): boolean =>
  part.length > 1 || isAllowed || /[^\p{Script=Latin}]/u.test(part);

/** `beantemp`, `btc`, `豆温`: two known words without a sign between them; undefined for any other. */
const compound = (text: string): Word[] | undefined => {
  for (let at = text.length - 1; at >= 1; at -= 1) {
    const [start, end] = [text.slice(0, at), text.slice(at)];
    const [first, second] = [vocabulary.get(start), vocabulary.get(end)];
    if (first === undefined || second === undefined) continue;
    const isUnit = second.temperatureUnit !== undefined && /^(?:bt|temp)$/.test(start);
    // `tsec`, `tbean`
    const isT =
      start === 't' &&
      (second.timeUnit !== undefined || second.concepts.some((one) => one === 'bean' || one === 'exhaust'));
    if (!mayStandAlone(start, isT) || !mayStandAlone(end, isUnit)) continue;
    return [
      { text: start, ...first },
      { text: end, ...second },
    ];
  }
  return undefined;
};

/**
 * The words of a head: `BeanTemp_C`, `bean temp (°C)` and `BEAN-TEMP C` have the same ones. A word that is not in the vocabulary has no
 * concept. A slash is kept as a word, for rates.
 */
export const wordsIn = (head: string): Word[] => {
  const parts = cutName(head)
    .replaceAll(/[°º˚]/g, ' ')
    .normalize('NFKC')
    .replaceAll(/[°º˚]/g, ' ')
    .replaceAll(/[Δδ∆]/g, ' delta ')
    .replaceAll('RoR', ' ror ')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{M}]+|\d+|[%#/]/gu);
  return (parts ?? []).flatMap((text): Word[] => {
    const known = vocabulary.get(text);
    if (known !== undefined) return [{ text, ...known }];
    if (/^\d+$/.test(text)) return [{ text, concepts: ['number'] }];
    return compound(text) ?? [{ text, concepts: [] }];
  });
};
