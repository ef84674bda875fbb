import { utils, write } from '@e965/xlsx';
import { uploadFormats, type UploadFormat } from '@roastery/contract/imports';
import { pythonRepr } from '@roastery/roasting/artisan/python-repr';
import { describe, expect, it } from 'vitest';
import { formatFiles, makeFormatFile } from '../../../testing/format-files.ts';
import { describeFile } from '../describe-file.ts';
import { completedByName } from '../named-file.ts';

/**
 * What each program writes of the time of a roast. Lines are those of neuralldev/tilauscope_fork@30fc858, src/artisanlib:
 * its importers make a `QDateTime` of the text, which is local time unless the text has a zone.
 */
const timesOf: Readonly<
  Record<UploadFormat, { readonly is: 'epoch' | 'local' | 'in UTC' | 'none'; readonly witness: string }>
> = {
  alog: { is: 'epoch', witness: '`roastepoch`; older files have a local date and its offset, or none' },
  artisan_json: { is: 'epoch', witness: 'the keys of an `.alog`' },
  csv: { is: 'local', witness: 'util.py:1499-1512, 1638-1650: date and clock of Artisan’s computer' },
  xlsx: { is: 'local', witness: 'main.py:15382-15542: date and clock of Artisan’s computer' },
  cropster: { is: 'local', witness: 'cropster.py:917-939: a date cell without a zone' },
  roastime: { is: 'epoch', witness: 'aillio_r1.py:464-480: ms since 1970, or RFC 3339 in old files' },
  kaleido: { is: 'local', witness: 'kaleido.py:702-717: `[{CookDate}]`, the clock of the machine’s tablet' },
  stronghold: { is: 'none', witness: 'stronghold.py: no date' },
  loring: { is: 'local', witness: 'loring.py:91-106: `M/d/yyyy h:mm:ss AP`' },
  giesen: { is: 'none', witness: 'giesen.py: no date' },
  ikawa: { is: 'local', witness: 'ikawa.py:181-197: in the name of the file' },
  roest: { is: 'none', witness: 'roest.py: no date' },
  rubasse: { is: 'none', witness: 'rubasse.py: no date' },
  petroncini: { is: 'local', witness: 'petroncini.py:58-76, 112-118: six columns, and the name of the file' },
  kaffelogic: { is: 'in UTC', witness: 'the real file and every public one: `18/07/2026 18:46:17 UTC`' },
  hibean: { is: 'local', witness: 'hibean.py:56-69: `2025-03-29T09:09:29.000`' },
};

/** Clocks on both sides of both changes, in a change, and in seasons without one. Changes of the tz database 2026. */
const clocks: readonly (readonly [zone: string, clock: string, utc: string])[] = [
  ['UTC', '2026-03-29T02:30:00', '2026-03-29T02:30:00'],
  ['Asia/Kolkata', '2026-06-16T10:39:00', '2026-06-16T05:09:00'],
  ['Europe/Berlin', '2026-01-16T10:39:00', '2026-01-16T09:39:00'],
  ['Europe/Berlin', '2026-03-29T01:59:59', '2026-03-29T00:59:59'],
  // 02:30 does not occur: an hour later on the clock.
  ['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:30:00'],
  ['Europe/Berlin', '2026-03-29T03:00:00', '2026-03-29T01:00:00'],
  ['Europe/Berlin', '2026-06-16T00:00:00', '2026-06-15T22:00:00'],
  ['Europe/Berlin', '2026-06-16T10:39:00', '2026-06-16T08:39:00'],
  ['Europe/Berlin', '2026-10-25T01:59:59', '2026-10-24T23:59:59'],
  // 02:30 occurs twice: the earlier one.
  ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00'],
  ['Europe/Berlin', '2026-10-25T03:00:00', '2026-10-25T02:00:00'],
  ['America/New_York', '2026-03-08T01:59:59', '2026-03-08T06:59:59'],
  ['America/New_York', '2026-03-08T02:30:00', '2026-03-08T07:30:00'],
  ['America/New_York', '2026-03-08T03:00:00', '2026-03-08T07:00:00'],
  ['America/New_York', '2026-07-01T22:00:00', '2026-07-02T02:00:00'],
  ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00'],
  ['America/New_York', '2026-11-01T02:00:00', '2026-11-01T07:00:00'],
  ['Australia/Adelaide', '2026-02-06T10:12:00', '2026-02-05T23:42:00'],
  ['Australia/Adelaide', '2026-04-05T02:30:00', '2026-04-04T16:00:00'],
  ['Australia/Adelaide', '2026-04-05T03:00:00', '2026-04-04T17:30:00'],
  ['Australia/Adelaide', '2026-10-04T02:30:00', '2026-10-03T17:00:00'],
  // Half an hour of daylight saving.
  ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00'],
  ['Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-03T15:45:00'],
  // Clocks are set at midnight.
  ['America/Santiago', '2026-09-06T00:00:00', '2026-09-06T04:00:00'],
];

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const clockOf = (second: number) =>
  `${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;
const artisanRows = (day: string, time: string): string[][] => [
  ['Date', 'Unit', 'CHARGE', 'Time'],
  [`${day.slice(8, 10)}.${day.slice(5, 7)}.${day.slice(0, 4)}`, 'C', '00:00', time],
  [],
  ['Time1', 'Time2', 'ET', 'BT', 'Event'],
  ...Array.from({ length: 60 }, (_, at) => [
    clockOf(at * 10),
    '',
    '200',
    String(90 + at * 2),
    at === 0 ? 'CHARGE' : '',
  ]),
];

interface Written {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Not in the file. */
  readonly lacks?: 'seconds' | 'clock';
}

/** The file of each program with a local time that says this. */
const writers: Readonly<Record<string, (clock: string) => Written>> = {
  ...Object.fromEntries(
    formatFiles.flatMap(({ format, name }, place) =>
      timesOf[format].is === 'local' && format !== 'ikawa'
        ? [[name, (clock: string) => makeFormatFile(place, { chargedAt: new Date(`${clock}Z`) })] as const]
        : [],
    ),
  ),
  'roastime.csv': (clock) => {
    const place = formatFiles.findIndex(({ name }) => name === 'roastime.csv');
    return { ...makeFormatFile(place, { chargedAt: new Date(`${clock}Z`) }), lacks: 'clock' };
  },
  'artisan.csv': (clock) => {
    const [, [date = '', unit = '', charge = '', time = ''] = [], , ...table] = artisanRows(clock, clock.slice(11, 16));
    const head = [`Date:${date}`, `Unit:${unit}`, `CHARGE:${charge}`, `Time:${time}`];
    return { name: 'a.csv', bytes: encode([head, ...table].map((row) => row.join('\t')).join('\n')), lacks: 'seconds' };
  },
  'artisan.xlsx': (clock) => {
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet(artisanRows(clock, clock.slice(11, 16))), 'Profile');
    const bytes = new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
    return { name: 'a.xlsx', bytes, lacks: 'seconds' };
  },
  'IKAWA …csv': (clock) => ({
    name: `IKAWA ${clock.slice(0, 10)} ${clock.slice(11).replaceAll(':', '')}.csv`,
    bytes: formatFiles.find(({ format }) => format === 'ikawa')?.bytes ?? new Uint8Array(),
  }),
  'an .alog without epoch and offset': (clock) => ({
    name: 'a.alog',
    bytes: encode(
      pythonRepr({
        timex: Array.from({ length: 60 }, (_, at) => at * 10),
        temp1: Array.from({ length: 60 }, () => 200),
        temp2: Array.from({ length: 60 }, (_, at) => 90 + at * 2),
        timeindex: [0, 0, 0, 0, 0, 0, 50, 0],
        mode: 'C',
        roastisodate: clock.slice(0, 10),
        roasttime: clock.slice(11),
      }),
    ),
  }),
};

const startOf = async ({ name, bytes }: Pick<Written, 'name' | 'bytes'>, zone: string) => {
  const { upload } = await describeFile(bytes, { time_zone: zone });
  const { start_time: start, time_zone: readIn } = completedByName(name, upload, zone);
  return { start, readIn };
};
/** Of a file that has only the day or the minute. */
const asWritten = (clock: string, lacks: Written['lacks']) =>
  lacks === 'clock' ? `${clock.slice(0, 11)}00:00:00` : lacks === 'seconds' ? `${clock.slice(0, 17)}00` : clock;

describe('time of a roast in a file', () => {
  it('has a witness and a writer for each format with a local time', () => {
    const local = uploadFormats.filter((format) => timesOf[format].is === 'local');
    const written = formatFiles.filter(({ name }) => name in writers).map(({ format }) => format);
    expect(local.filter((format) => !['csv', 'xlsx', 'ikawa', ...written].includes(format))).toEqual([]);
  });

  it.each(Object.keys(writers))(
    '%s: is of the chosen zone, on both sides of each change of its clocks',
    async (name) => {
      const write = writers[name];
      if (write === undefined) throw new RangeError(name);
      // Writing and reading a workbook takes 30 ms; all formats share the rules of the clocks.
      const step = /\.xlsx?$/.test(name) ? 4 : 1;
      for (const [zone, clock] of clocks.filter((_, place) => place % step === 2 % step)) {
        const file = write(clock);
        const wanted = clocks.find(([where, said]) => where === zone && said === asWritten(clock, file.lacks));
        // A file without seconds or clock says another time than that of the table, or the same for two of them.
        if (wanted === undefined) continue;
        expect([zone, clock, await startOf(file, zone)]).toEqual([
          zone,
          clock,
          { start: `${wanted[2]}.000Z`, readIn: zone },
        ]);
      }
    },
  );

  it.each(formatFiles.filter(({ format, name }) => timesOf[format].is !== 'local' && name !== 'roastime.csv'))(
    '$name: is the same instant in every zone, or absent',
    async ({ format, name, bytes }) => {
      const starts = await Promise.all(
        ['UTC', 'Europe/Berlin', 'Australia/Adelaide'].map((z) => startOf({ name, bytes }, z)),
      );
      expect(new Set(starts.map(({ start }) => start)).size).toBe(1);
      expect(starts.map(({ readIn }) => readIn)).toEqual([null, null, null]);
      expect(starts[0]?.start === null).toBe(timesOf[format].is === 'none');
    },
  );

  it.each([
    ['2025-03-29T09:09:29.000Z', '2025-03-29T09:09:29.000Z'],
    ['2025-03-29T09:09:29+01:00', '2025-03-29T08:09:29.000Z'],
    ['2025-03-29T09:09:29.500-0530', '2025-03-29T14:39:29.500Z'],
  ])('hibean.json with %s keeps its own zone', async (dateTime, start) => {
    const file = formatFiles.find(({ format }) => format === 'hibean');
    const data = JSON.parse(new TextDecoder().decode(file?.bytes)) as object;
    const bytes = encode(JSON.stringify({ ...data, dateTime }));
    expect(await startOf({ name: 'a.json', bytes }, 'America/New_York')).toEqual({ start, readIn: null });
  });

  it('an .alog with the offset of its zone’s standard time follows daylight saving if the zone is the chosen one', async () => {
    const { bytes } = writers['an .alog without epoch and offset']?.('2026-02-06T10:12:00') ?? { bytes: encode('') };
    const text = new TextDecoder().decode(bytes).replace("'mode'", "'roasttzoffset': -34200, 'mode'");
    const file = { name: 'a.alog', bytes: encode(text) };
    expect((await startOf(file, 'Australia/Adelaide')).start).toBe('2026-02-05T23:42:00.000Z');
    expect(await startOf(file, 'Europe/Berlin')).toEqual({ start: '2026-02-06T00:42:00.000Z', readIn: null });
  });
});
