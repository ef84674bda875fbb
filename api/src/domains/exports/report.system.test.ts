import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import type { Upload } from '@roastery/contract/imports';
import type { Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMigratedDatabase } from '../../testing/ingest-fixture.ts';
import { exampleCsv } from '../../testing/example-data.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { eastAsianFont } from './report-text.ts';

/** The folder where the reports are kept; without it they are deleted. */
const keptIn = process.env['REPORTS_DIR'];

/** The words of each page as a reader selects and copies them: adjacent pieces are one word. */
const readText = async (bytes: Uint8Array): Promise<string[]> => {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const pages: string[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    let text = '';
    let end = { x: 0, y: 0 };
    for (const item of items) {
      if (!('str' in item) || item.str === '') continue;
      const [x, y] = [Number(item.transform[4]), Number(item.transform[5])];
      const touches = Math.abs(x - end.x) < 0.5 && Math.abs(y - end.y) < 0.5;
      text += touches ? item.str : ` ${item.str}`;
      end = { x: x + item.width, y };
    }
    pages.push(text.replaceAll(/ +/g, ' '));
  }
  return pages;
};

/** The drawing operators of the pages: their content streams, unpacked. */
const readDrawing = (bytes: Uint8Array): string => {
  const raw = Buffer.from(bytes).toString('latin1');
  return [...raw.matchAll(/<<([^]*?)>>\s*stream\r?\n([^]*?)\r?\nendstream/g)]
    .map(([, head = '', body = '']) =>
      /FlateDecode/.test(head) ? inflateSync(Buffer.from(body, 'latin1')).toString('latin1') : body,
    )
    .filter((stream) => /\bBT\b/.test(stream))
    .join('\n');
};

describe('the report of a roast', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  beforeAll(async () => {
    database = await openMigratedDatabase();
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    await admin.send('PUT', '/settings/roastery', {
      roastery_name: 'Rösterei Müller & Søn',
      address: 'Hauptstraße 7',
      postal_code: '10115',
      city: 'Berlin',
      website: 'mueller.example',
      time_zone: 'UTC',
    });
  });
  afterAll(async () => {
    await test.close();
    await database[Symbol.asyncDispose]();
  });

  const reportOf = async (name: string, facts: object, query = ''): Promise<{ roast: Roast; bytes: Uint8Array }> => {
    const upload = await admin.sendFile<Upload>('/roasts/uploads?file_name=a.csv', exampleCsv());
    const body = { start_time: '2026-11-21T07:40:00.000Z', ...facts };
    const taken = await admin.send<Roast>('POST', `/roasts/uploads/${upload.body.id}/roast`, body);
    expect(taken.status, JSON.stringify(taken.body)).toBe(201);
    const out = await admin.download(`/roasts/${taken.body.id}/export/pdf${query}`);
    expect(out.headers.get('content-type')).toBe('application/pdf');
    if (keptIn !== undefined) writeFileSync(path.join(keptIn, `${name}.pdf`), out.bytes);
    return { roast: taken.body, bytes: out.bytes };
  };

  it('has the description, figures and marks as selectable text', async () => {
    const { roast, bytes } = await reportOf('whole', {
      coffee_name: 'Żółty Őrlő “Piñón” Crème',
      coffee_origin: 'Perú',
      coffee_process: 'Washed',
      roast_level: 'Medium-Light',
      roasted_by: 'Łucja Żak',
      batch_size_kg: 12,
      end_weight_kg: 10.2,
      cupping_score: 86.5,
      notes: 'Stone fruit, honey; a long finish.\n\nRests five days.',
    });
    const [text = '', ...more] = await readText(bytes);
    expect(more, 'one page').toEqual([]);
    const words = [
      'Rösterei Müller & Søn',
      'Hauptstraße 7, 10115 Berlin',
      'Żółty Őrlő “Piñón” Crème',
      'Perú · Washed',
      'Medium-Light',
      roast.roast_number,
      `Batch ${roast.batch_number}`,
      'November 21, 2026',
      'Łucja Żak',
      '12 kg',
      '10.2 kg',
      '15.0%',
      '86.5',
      `Duration ${formatDuration(roast.duration_seconds)}`,
      `Drop temp ${roast.drop_temp?.toFixed(1)} °C`,
      'Charge',
      'Turning Point',
      'First Crack',
      'Drop',
      'Drying',
      'Maillard',
      'Development',
      'Stone fruit, honey',
      'Bean temp (°C)',
      'Rate of rise (°C/min, right axis)',
      'Rests five days.',
    ];
    for (const word of words) expect(text, word).toContain(word);
    for (const mark of roast.marks) expect(text).toContain(formatDuration(mark.time_seconds));
  });

  it('draws its chart as lines, without images', async () => {
    const { bytes } = await reportOf('fahrenheit', { coffee_name: 'Guji' }, '?temperature_unit=F');
    const drawing = readDrawing(bytes);
    expect(drawing.match(/ l$/gm)?.length, 'lines of the curves').toBeGreaterThan(150);
    expect(drawing.match(/ Do$/gm), 'pictures').toBeNull();
    const [page = ''] = await readText(bytes);
    expect(page).toContain('Bean temp (°F)');
    expect(page.split(/\s+/), 'round figures on the axis').toEqual(
      expect.arrayContaining(['-20', '20', '40', '60', '80', '300', '400']),
    );
    const raw = Buffer.from(bytes).toString('latin1');
    expect(raw).not.toContain('/Subtype /Image');
    const fonts = raw.match(/\/Type \/Font\b[^]*?\/Subtype \/Type0/g)?.length ?? 0;
    expect(fonts).toBeGreaterThanOrEqual(2);
    expect(raw.match(/\/ToUnicode/g)?.length, 'each font says what its signs mean').toBe(fonts);
    expect(raw.match(/\/FontFile[23]/g)?.length, 'each font is in the file').toBe(fonts);
  });

  it(`writes ${eastAsianFont ? 'Japanese and Chinese' : 'a question mark for each sign of Japanese: this server has no font for it'}`, async () => {
    const { bytes } = await reportOf('japanese', {
      coffee_name: 'グジ 耶加雪菲 natural',
      coffee_origin: 'エチオピア',
      notes: '桃と花の香り。'.repeat(40),
    });
    const [text = ''] = await readText(bytes);
    const words = eastAsianFont
      ? ['グジ 耶加雪菲', 'エチオピア', '桃と花の香り']
      : ['?? ???? natural', '?????', '??????'];
    for (const word of words) expect(text).toContain(word);
    expect(text, 'a sign that the font lacks').not.toContain('\ufffd');
  });

  it('continues over pages, each with its number', async () => {
    const notes = Array.from({ length: 300 }, (_, line) => `line ${line} of the notes`).join('\n');
    const pages = await readText((await reportOf('long', { coffee_name: 'Guji', notes })).bytes);
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.map((text, place) => text.includes(`${place + 1} / ${pages.length}`))).toEqual(pages.map(() => true));
    expect(pages.at(-1)).toContain('line 299 of the notes');
  });
});
