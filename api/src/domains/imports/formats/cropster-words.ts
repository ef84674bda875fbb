import type { MarkKind } from '@roastery/roasting/marks';

/**
 * Cropster's terms in the languages of its exports: English, German, Spanish, French, Italian, Portuguese, Russian,
 * Korean, Japanese, Chinese.
 */

export const plainWord = (text: string): string => text.normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/g, ' ');

/** Heads of the first sheet. */
export const generalNames: Readonly<
  Record<
    | 'lot'
    | 'profile'
    | 'machine'
    | 'operator'
    | 'date'
    | 'startWeight'
    | 'startUnit'
    | 'endWeight'
    | 'endUnit'
    | 'wholeColor'
    | 'groundColor'
    | 'score'
    | 'roastingNotes'
    | 'cuppingNotes',
    readonly string[]
  >
> = {
  lot: [
    'lot name',
    'chargenname',
    'nombre del lote',
    'nom du lot',
    'nome lotto',
    'nome do lote',
    'имя лота',
    'lot 이름',
    'ロット名',
    '批次名称',
    '批次名稱',
  ],
  profile: ['profile', 'profil', 'perfil', 'profilo', 'профиль', '프로파일', 'プロファイル', '曲线档案', '曲線檔案'],
  machine: ['machine', 'maschine', 'tostador', 'macchina', 'máquina', 'машина', '머신', '機械', '烘焙机', '烘焙機'],
  operator: [
    'roast technician',
    'rösttechniker',
    'técnico de tueste',
    'torréfacteur',
    'addetto alla tostatura',
    'mestre de torra',
    'обжарщик',
    '로스터',
    'ローストテクニシャン',
    '烘焙师',
    '烘焙師',
  ],
  date: ['date', 'datum', 'fecha', 'data', 'дата', '날짜', '日付', '日期'],
  startWeight: [
    'start weight',
    'startgewicht',
    'peso inicial',
    'poids initial',
    'peso iniziale',
    'начальный вес',
    '시작 무게',
    '開始重量',
    '开始重量',
  ],
  startUnit: [
    'start weight unit',
    'einheit startgewicht',
    'unidad de peso inicial',
    'unité poids initial',
    'unità peso iniziale',
    'unidade do peso inicial',
    'единица измерения начального веса',
    '시작 무게 단위',
    '開始重量ユニット',
    '开始重量单位',
    '開始重量單位',
  ],
  endWeight: [
    'end weight',
    'endgewicht',
    'peso final',
    'poids final',
    'peso finale',
    'конечный вес',
    '종료 무게',
    '終了重量',
    '结束重量',
    '結束重量',
  ],
  endUnit: [
    'end weight unit',
    'einheit endgewicht',
    'unidad de peso final',
    'unité poids final',
    'unità peso finale',
    'unidade de peso final',
    'единица измерения конечного веса',
    '종료 무게 단위',
    '終了重量ユニット',
    '结束重量单位',
    '結束重量單位',
  ],
  wholeColor: [
    'roast value',
    'röstwert',
    'nivel de tueste',
    'couleur de torréfaction',
    'grado di tostatura',
    'grau de torra',
    'степень обжарки',
    '로스트 값',
    '焙煎数値',
    '烘焙色值',
  ],
  groundColor: [
    'roast value 2',
    'röstwert 2',
    'nivel de tueste 2',
    'couleur de torréfaction 2',
    'grado di tostatura 2',
    'grau de torra 2',
    'степень обжарки 2',
    '로스트 값 2',
    'ロースト値2',
    '烘焙色值 2',
  ],
  score: [
    'sensorial score',
    'sensorisches ergebnis',
    'resultados del análisis sensorial',
    'note sensorielle',
    'punteggio sensoriale',
    'pontuação sensorial',
    'оценка вкусовых качеств',
    '센서리 점수',
    '知覚スコア',
    '感官特征分数',
    '感官特徵分數',
  ],
  roastingNotes: [
    'roasting notes',
    'röst-notizen',
    'anotaciones sobre el tostado',
    'commentaires de torréfaction',
    'note sulla tostatura',
    'observações da torrefação',
    'примечания к обжарке',
    '로스팅 메모',
    'ロースティングノート',
    '烘焙笔记',
    '烘焙筆記',
  ],
  cuppingNotes: [
    'sensorial notes',
    'sensorische notizen',
    'anotaciones sobre el análisis sensorial',
    'commentaires sensoriels',
    'note sensoriali',
    'observações sensoriais',
    'примечания к анализу вкусовых характеристик',
    '센서리 메모',
    '知覚メモ',
    '感官特征附注',
    '感官特徵附註',
  ],
};

/** Kinds of comments that are marks. The charge is second 0. */
export const markWords: Readonly<Partial<Record<MarkKind, readonly string[]>>> = {
  turning_point: [
    'turning point',
    'wendepunkt',
    'temperatura de fondo',
    'point de balance',
    'punto di flesso',
    'temperatura de fundo',
    'поворотная точка',
    '터닝 포인트',
    'ターニングポイント',
    '回温点',
    '回溫點',
    '回温點',
  ],
  dry_end: [
    'color change',
    'farbänderung',
    'cambio de color',
    'changement de couleur',
    'cambiamento di colore',
    'mudança de cor',
    'изменение цвета',
    '색 변화',
    '色の変化',
    '颜色变化',
    '顏色變化',
  ],
  first_crack: [
    'first crack',
    '1. crack',
    'primer crac',
    'premier crack',
    'primo crack',
    'primeiro crack',
    'первый треск',
    '1차 크랙',
    '1ハゼ',
    '一爆',
  ],
  first_crack_end: ['first crack end'],
  second_crack: [
    'second crack',
    '2. crack',
    'segundo crac',
    'secondo crack',
    'segundo crack',
    'второй треск',
    '2차 크랙',
    '2ハゼ',
    '二爆',
  ],
  second_crack_end: ['second crack end'],
  drop: ['duration'],
};

const prefix = /^(?:curve|kurve|curva|courbe|кривая|커브|カーブ|曲线|曲線)\s*-?\s*/i;

export const isCurveSheet = (name: string): boolean => prefix.test(name.normalize('NFKC').trim());

/** `Kurve - Abluftemperatur` → `Abluftemperatur`: the curve's name in the sheet. */
export const curveName = (name: string): string => name.normalize('NFKC').trim().replace(prefix, '').trim() || name;

/**
 * Terms of curves, in this order: `custom control` is not gas, and a gas temperature is not gas. `fumi` is the exhaust,
 * `bruciafumi` an afterburner.
 */
const kinds = [
  ['bean_temp', /bean|bohnen|del grano|grain|chicco|gr[aã]o\b|зерен|빈|豆/i],
  ['exhaust_temp', /exhaust|abluft|salida|échappement|\bfumi|exaust|на выходе|배기|排気|排风|排風/i],
  ['other', /rate of rise|\bror\b|comment|custom|druck|press|presi|давление|압력|圧力|压|壓/i],
  ['temperature', /temp|темп|온도|温度|温|溫/i],
  [
    'fan_speed',
    /^(?:airflow|flujo de aire|arrivée d'air|flux d'air|flusso d'aria|fluxo de ar|воздушный поток|공기 흐름|空気の流れ|风门|風門)$/i,
  ],
  ['heat_power', /^(?:gas|gaz|gás|газ|가스|ガス|火力)$/i],
] as const;
/** Air above the beans, and air on its way back to the burner: the exhaust of a roaster that has no other probe of it. */
const airBeside = [
  /\benv|umgebung|ambiente|aria in tamburo|окружения|주변|周囲|周围|^[炉爐][温溫]/i,
  /return|r[üu]cklauf|retorno|retour|di ritorno|возврата|戻り|回[炉爐]/i,
] as const;

/** The sheet of the exhaust temperature among these; undefined without one. */
export const exhaustSheet = (names: readonly string[]): string | undefined => {
  const temperatures = names.filter((name) => curveKindOf(name) === 'temperature');
  return (
    names.find((name) => curveKindOf(name) === 'exhaust_temp') ??
    airBeside.flatMap((pattern) => temperatures.filter((name) => pattern.test(curveName(name))))[0]
  );
};

export type CurveKind = (typeof kinds)[number][0] | 'drum_speed';

/** The curve of a sheet; one that is neither known nor a temperature is `other`. */
export const curveKindOf = (name: string): CurveKind => {
  const words = curveName(name);
  return kinds.find(([, pattern]) => pattern.test(words))?.[0] ?? 'other';
};
