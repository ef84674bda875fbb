import { makeFormatFile } from '@roastery/api/testing/format-files';
import { utils, write } from '@e965/xlsx';
import { zipSync } from 'fflate';

export interface GivenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const given = (name: string, bytes: Uint8Array | string): GivenFile => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(bytes),
});

export interface ListedLot {
  readonly number: string;
  readonly coffee: string;
  readonly country: string;
  readonly pounds: number;
  /** The price per pound. */
  readonly cents: number;
}

const countries = { Guji: 'Ethiopia', Huila: 'Colombia', Antigua: 'Guatemala', Kiambu: 'Kenya', Cerrado: 'Brazil' };
/** Whole pounds and whole cents, so that every sum is exact. */
export const listedLots: readonly ListedLot[] = Object.entries(countries).flatMap(([coffee, country], kind) =>
  Array.from({ length: 8 }, (_, index) => {
    const place = kind * 8 + index;
    return {
      number: `24-${String(place + 1).padStart(3, '0')}`,
      coffee: `${coffee} ${index + 1}`,
      country,
      pounds: 300 + 10 * place,
      cents: 280 + 5 * place,
    };
  }),
);
/** The position of the lot whose weight is in words: a person corrects it. */
export const misspeltPlace = 11;

/** The roastery's own list: no head names a unit, and one is meaningless. */
export const lotsSpreadsheet = (): GivenFile => {
  const heads = ['Los-Nr', 'Bezeichnung', 'Herkunftsland', 'Menge', 'EK', 'Regalfach'];
  const rows = listedLots.map((lot, place) => [
    lot.number,
    lot.coffee,
    lot.country,
    place === misspeltPlace ? 'zehn Sack' : lot.pounds,
    lot.cents / 100,
    `R${place + 1}`,
  ]);
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([heads, ...rows]), 'Lager');
  return given('Lager.xlsx', new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer));
};

/** Positions of formats that contain weights, and of those without a date: their file names have it. */
const weighed = new Set([0, 1, 2, 3, 4, 5, 16]);
const undated = new Set([8, 10, 11, 12, 13]);
const makers = 17;
const firstDay = Date.UTC(2024, 0, 8, 7, 30);

/** Files of this many roasts: mixed formats, some repeated, some broken, two without a date. */
export const filesOfYears = (roastCount: number) => {
  const lost = [roastCount - 2, roastCount - 1];
  const roasts = Array.from({ length: roastCount }, (_, index) => {
    // The last two are from a program that writes no date.
    const place = lost.includes(index) ? 10 : index % makers;
    const chargedAt = new Date(firstDay + index * 2 * 86_400_000);
    const greenKg = 4 + (index % 7) / 2;
    const coffee = listedLots[index % listedLots.length]?.coffee ?? '';
    const { name, bytes } = makeFormatFile(place, { chargedAt, warmerC: index / 10 - 14, coffee, greenKg });
    const moment = chargedAt.toISOString().slice(0, 16).replace('T', ' ').replace(':', '');
    const stem = undated.has(place) && !lost.includes(index) ? `${moment} roast` : `roast ${index}`;
    return {
      file: given(`${stem}${/\.\w+$/.exec(name)?.[0] ?? ''}`, bytes),
      greenKg: weighed.has(place) ? greenKg : 0,
    };
  });
  const copies = roasts.slice(0, 12).map(({ file }) => ({ ...file, name: `copy of ${file.name}` }));
  const broken = [
    given('torn.alog', "{'timex': [1, 2"),
    given('torn.xlsx', roasts[4]?.file.buffer.subarray(0, 900) ?? ''),
    given('photo.csv', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])),
    given('sign-in.xls', '<!doctype html><html><title>Sign in</title></html>'),
    given('settings.json', '{"theme": "dark"}'),
    given('invoice.csv', 'number,sum\n1,20\n2,30\n'),
    given('torn.klog', 'log_file_name:kaffelogic/roast-logs/log0018.klog\n'),
    given('numbers.json', '[1, 2, 3]'),
  ];
  const files = [...roasts.map(({ file }) => file), ...copies, ...broken];
  const third = Math.round(files.length / 3);
  const archived = files.slice(0, third);
  const archive = zipSync(Object.fromEntries(archived.map(({ name, buffer }) => [`2024/${name}`, buffer])), {
    level: 1,
  });
  return {
    count: files.length,
    roasts: roasts.length,
    copies: copies.length,
    broken: broken.length,
    lost: lost.map((index) => roasts[index]?.file.name ?? ''),
    greenKg: roasts.reduce((sum, one) => sum + one.greenKg, 0),
    /** As the user chooses them: a third of them in an archive. */
    chosen: [given('2024.zip', archive), ...files.slice(third)],
  };
};

/** Artisan's readings of this machine: beans and exhaust in tenths of °C, and the burner. */
export const machineSettings = (port: number): GivenFile =>
  given(
    'Giesen_W15A.aset',
    [
      '[General]',
      'Delay=1000',
      'roastertype_setup=Giesen W15A',
      'roastersize_setup=15',
      '[Device]',
      'id=29',
      '[ExtraDev]',
      'extradevices=33',
      'extraname1={3}',
      'extraname2={0}',
      '[Modbus]',
      'type=3',
      'host=192.168.2.10',
      `port=${port}`,
      'IP_timeout=5',
      ...[
        [1, 41, 1, 'C'],
        [2, 40, 1, 'C'],
        [3, 45, 0, ''],
      ].flatMap(([input, register, div, mode]) => [
        `input${input}slave=1`,
        `input${input}code=3`,
        `input${input}register=${register}`,
        `input${input}div=${div}`,
        `input${input}mode=${mode}`,
        `input${input}Signed=true`,
      ]),
      '',
    ].join('\r\n'),
  );

/** The same registers, from the machine's side. */
export const machineRegisters = {
  v: 1,
  id: 'giesen-w15a',
  maker: 'Giesen',
  model: 'W15A',
  link: { kind: 'tcp', host: '127.0.0.1', port: 502 },
  channels: {
    exhaust_temp: { at: 'h:40', as: 'i16', scale: 0.1 },
    bean_temp: { at: 'h:41', as: 'i16', scale: 0.1 },
    heat_power: { at: 'h:45', as: 'i16', unit: '%' },
  },
} as const;
