import { unzipSync, zipSync } from 'fflate';
import type { Chance } from './seeded-random.ts';

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const xml = (text: string): Uint8Array<ArrayBuffer> => encode(`<?xml version="1.0"?>${text}`);
const lines = (count: number, more = ''): string =>
  Array.from({ length: count }, (_, second) => `${second},${100 + second / 10}${more}`).join('\n');
const list = (count: number, item: string): string => `[${Array.from({ length: count }, () => item).join(',')}]`;

/** A workbook of one sheet with this XML between its rows. */
export const workbookOf = (sheetData: string, more: Record<string, Uint8Array> = {}): Uint8Array<ArrayBuffer> => {
  const space = 'http://schemas.openxmlformats.org';
  return new Uint8Array(
    zipSync(
      {
        '[Content_Types].xml': xml('<Types/>'),
        'xl/workbook.xml': xml(
          `<workbook xmlns:r="${space}/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`,
        ),
        'xl/_rels/workbook.xml.rels': xml(
          `<Relationships><Relationship Id="r1" Type="${space}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
        ),
        'xl/worksheets/sheet1.xml': xml(`<worksheet><sheetData>${sheetData}</sheetData></worksheet>`),
        ...more,
      },
      // Most of the time for a larger one would be spent on compressing it.
      { level: 1 },
    ),
  );
};

const alog = (more: string): string => {
  const times = `[${Array.from({ length: 20 }, (_, second) => second).join(', ')}]`;
  return `{'mode': 'C', 'timex': ${times}, 'temp1': ${times}, 'temp2': ${times}, 'timeindex': [0, 0, 0, 0, 0, 0, 0, 0]${more}}`;
};
const devices = (count: number): string => {
  const column = '[0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]';
  const names = list(count, "'One name that stands on every curve'");
  return alog(
    `, 'extratimex': ${list(count, column)}, 'extratemp1': ${list(count, column)}, 'extratemp2': ${list(count, column)}, 'extraname1': ${names}, 'extraname2': ${names}`,
  );
};
const headRows = (head: string): string => `${`${head}\n`.repeat(50)}time,bt,${head}\n${lines(50, ',1')}`;

/** Files that once stopped, slowed or bloated the api, and similar ones. */
export const hostileFiles: readonly { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }[] = [
  { name: 'a cell ZZZZZZZ1', bytes: workbookOf('<row r="1"><c r="ZZZZZZZ1"><v>1</v></c></row>') },
  {
    name: 'a cell in row 4,000,000,000',
    bytes: workbookOf('<row r="4000000000"><c r="A4000000000"><v>1</v></c></row>'),
  },
  { name: 'an escaped cell ZZZZZZZ1', bytes: workbookOf('<row r="1"><c r="Z&#90;ZZZZZ1"><v>1</v></c></row>') },
  {
    name: 'a corner of the sheet in each of 3,000 rows',
    bytes: workbookOf(
      Array.from({ length: 3000 }, (_, row) => `<row r="${row + 1}"><c r="XFD${row + 1}"><v>1</v></c></row>`).join(''),
    ),
  },
  {
    name: 'a long text shared by 100,000 cells',
    bytes: workbookOf(
      Array.from({ length: 50_000 }, (_, row) => {
        const at = row + 1;
        return `<row r="${at}"><c r="A${at}" t="s"><v>0</v></c><c r="B${at}" t="s"><v>0</v></c></row>`;
      }).join(''),
      { 'xl/sharedStrings.xml': encode(`<sst><si><t>${'( '.repeat(500_000)}</t></si></sst>`) },
    ),
  },
  { name: 'zeros that unpack to 50 MB', bytes: workbookOf('', { 'xl/a.xml': new Uint8Array(50 * 1024 * 1024) }) },
  { name: 'a head of 40,000 brackets', bytes: encode(headRows('('.repeat(40_000))) },
  { name: 'a head of 40,000 blanks', bytes: encode(headRows(`a${' '.repeat(40_000)}b`)) },
  { name: 'a first cell of a million blanks', bytes: encode(`Date:${' '.repeat(1_000_000)}x\n${lines(50)}`) },
  { name: 'a cell of a million blanks', bytes: encode(`time,bt\n${lines(50)}\n99,1${' '.repeat(1_000_000)}x`) },
  {
    name: '8,000 columns of one name',
    bytes: encode(`time,bt,${Array(8000).fill('x').join(',')}\n${lines(20, ',1'.repeat(8000))}`),
  },
  { name: 'ten million separators', bytes: encode(`time,bt\n${','.repeat(10_000_000)}`) },
  { name: 'ten million quotes', bytes: encode(`time,bt\n${'"'.repeat(10_000_000)}`) },
  { name: 'a mark on each of 190,000 samples', bytes: encode(`time,bt,event\n${lines(190_000, ',charge;drop;TP')}`) },
  { name: '4,000 extra devices', bytes: encode(devices(4000)) },
  { name: 'eight megabytes of blanks in a literal', bytes: encode(alog(`, ${' '.repeat(8_000_000)}`)) },
  { name: 'a million brackets in a literal', bytes: encode(`{'timex': ${'['.repeat(1_000_000)}`) },
  {
    name: 'a record with 100,000 channels',
    bytes: encode(
      alog(
        `, 'extratimex': [[1, 2]], 'extratemp1': [[1, 2]], 'extraname1': ['x'], 'roastery_record': {'v': 1, 'recorded_at': '2026-11-21T00:00:00Z', 'facts': {}, 'marks': [], 'channels': ${list(100_000, "{'name': 'x', 'label': 'x', 'unit': ''}")}}`,
      ),
    ),
  },
];

const ten = 10 * 1024 * 1024;

/** A valid file of five columns at 4 Hz, over half a day: nearly 10 MB. */
export const largeCsv = (samples = 190_000): Uint8Array<ArrayBuffer> => {
  const head = 'Time (s),Bean temp (°C),Exhaust temp (°C),Burner (%),Air (%),Drum (%)\n';
  const rows = Array.from({ length: samples }, (_, at) => {
    const bean = 200 - 100 * Math.exp(-(at % 3000) / 900);
    return `${(at / 4).toFixed(2)},${bean.toFixed(4)},${(bean + 20).toFixed(4)},55.25,44.5,60.125`;
  });
  return encode(head + rows.join('\n')).slice(0, ten);
};

/** A damaged copy: bytes flipped, parts cut out, repeated or moved. */
export const mutated = (bytes: Uint8Array, chance: Chance): Uint8Array<ArrayBuffer> => {
  let file = new Uint8Array(bytes);
  const place = () => chance.whole(0, Math.max(0, file.length - 1));
  for (let change = chance.whole(1, 4); change > 0; change -= 1) {
    const kind = chance.whole(0, 4);
    const from = place();
    const piece = file.subarray(from, from + chance.whole(1, 2000));
    if (kind === 0) for (let flip = chance.whole(1, 30); flip > 0; flip -= 1) file[place()] = chance.whole(0, 255);
    else if (kind === 1) file = file.slice(0, from);
    else if (kind === 2) file = new Uint8Array([...file.subarray(0, from), ...file.subarray(from + piece.length)]);
    else if (kind === 3)
      file = new Uint8Array(Buffer.concat(Array.from({ length: chance.whole(2, 400) }, () => piece)));
    else file = new Uint8Array(Buffer.concat([file.subarray(0, from), piece, piece, file.subarray(from)]));
  }
  return file;
};

/** Values that a damaged or hostile writer of workbooks could put into an attribute or an element. */
const hostileXmlValues = [
  '',
  '-1',
  '1e999',
  'NaN',
  '99999999999999999999',
  'ZZZZZZZ1',
  'A0',
  '1:1',
  'rId999',
  '../../../etc/passwd',
  '&amp;'.repeat(1000),
  '&#1114112;',
  '&undefined;',
  '\u0000',
  '<c/>',
  '_x0000_',
  '2026-02-30T25:61:61Z',
  'x'.repeat(100_000),
];

/** An XML text with elements or values changed; its tags may no longer match. */
const mutatedXml = (xml: string, chance: Chance): string => {
  const tags = [...xml.matchAll(/<[^>]*>/g)];
  if (tags.length < 2) return xml;
  const tag = chance.pick(tags);
  const [from, to] = [tag.index, tag.index + tag[0].length];
  const other = chance.pick(tags)[0];
  const replaced = (text: string): string => xml.slice(0, from) + text + xml.slice(to);
  const changes: readonly (() => string)[] = [
    () => replaced(''),
    () => replaced(other),
    () => replaced(tag[0].repeat(chance.whole(2, 3000))),
    () => replaced(tag[0].replace(/"[^"]*"/, () => `"${chance.pick(hostileXmlValues)}"`)),
    () => replaced(tag[0].replace(/ (\w+)=/, ' $1x=')),
    () => replaced(`${tag[0]}${chance.pick(hostileXmlValues)}`),
    () => replaced(`${tag[0]}<!--`),
    () => `${xml.slice(0, to)}<![CDATA[${xml.slice(to)}`,
    () => `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1000)}"><!ENTITY d "${'&b;'.repeat(1000)}">]>${xml}`,
    () => xml.slice(0, from) + xml.slice(to) + tag[0],
  ];
  return chance.pick(changes)();
};

/** A workbook whose archive is valid and whose parts are damaged, missing, or under another part's name. */
export const mutatedWorkbook = (bytes: Uint8Array, chance: Chance): Uint8Array<ArrayBuffer> => {
  const parts = unzipSync(bytes);
  for (let change = chance.whole(1, 4); change > 0; change -= 1) {
    const name = chance.pick(Object.keys(parts));
    const content = parts[name] ?? new Uint8Array();
    const kind = chance.whole(0, 9);
    if (kind === 0) parts[name] = mutated(content, chance);
    else if (kind === 1) parts[chance.pick(Object.keys(parts))] = content;
    else if (kind === 2) parts[name] = new Uint8Array();
    else parts[name] = encode(mutatedXml(new TextDecoder().decode(content), chance));
  }
  return new Uint8Array(zipSync(parts, { level: 1 }));
};
