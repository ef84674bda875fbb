import { utils, write } from '@e965/xlsx';

/** A generated list of lots of a program or a roastery, after its documents, with the expected lots. */
export interface LotFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Fields of its rows; of each row the ones that matter here. */
  readonly lots: readonly Readonly<Record<string, string | number>>[];
  readonly notImported: readonly string[];
}

const text = (lines: readonly string[], encoding: BufferEncoding = 'utf8') =>
  new Uint8Array(Buffer.from(lines.join('\r\n'), encoding));
const workbook = (
  sheets: Readonly<Record<string, readonly (readonly unknown[])[]>>,
  bookType: 'xlsx' | 'xls' = 'xlsx',
) => {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets)) {
    utils.book_append_sheet(
      book,
      utils.aoa_to_sheet(
        rows.map((row) => [...row]),
        { UTC: true },
      ),
      name,
    );
  }
  return new Uint8Array(write(book, { type: 'array', bookType, cellDates: true }) as ArrayBuffer);
};

export const lotFiles: readonly LotFile[] = [
  {
    name: 'cropster-lots.xlsx',
    bytes: workbook({
      Lots: [
        ['Green lots of Drum & Bean'],
        [],
        [
          'ID-Tag',
          'Lot name',
          'Country',
          'Region',
          'Producer',
          'Variety',
          'Processing',
          'Harvest',
          'Initial weight (kg)',
          'Actual weight (kg)',
          'Price/kg',
          'Moisture',
          'Density (g/l)',
          'Received',
          'Sync',
        ],
        [
          'PG-0812',
          'Konga',
          'Ethiopia',
          'Yirgacheffe',
          'Konga Coop',
          'Heirloom',
          'Washed',
          '2024/25',
          600,
          412.5,
          8.4,
          10.8,
          712,
          new Date(Date.UTC(2025, 1, 3)),
          'yes',
        ],
        [
          'PG-0813',
          'El Salto',
          'Colombia',
          'Huila',
          'A. Restrepo',
          'Caturra',
          'Natural',
          '2025',
          350,
          350,
          9.1,
          11.2,
          690,
          new Date(Date.UTC(2025, 2, 17)),
          'yes',
        ],
      ],
    }),
    lots: [
      {
        lot_number: 'PG-0812',
        coffee_name: 'Konga',
        origin: 'Ethiopia',
        farm: 'Konga Coop',
        initial_weight: 600,
        current_weight: 412.5,
        cost_per_kg: 8.4,
        density: 0.712,
        harvest_date: '2024-01-01',
        purchase_date: '2025-02-03',
      },
      {
        lot_number: 'PG-0813',
        process: 'Natural',
        initial_weight: 350,
        moisture_content: 11.2,
        purchase_date: '2025-03-17',
      },
    ],
    notImported: ['Sync'],
  },
  {
    name: 'roastertools.csv',
    bytes: text([
      'Lot #,Name,Origin,Importer,Bags,Bag Size (lb),Price/lb,Date Received,Notes',
      'RT-1,Huehue,Guatemala,"Green & Co, Ltd",10,152,$4.20,03/25/2025,"sweet, red apple"',
      'RT-2,Mogiana,Brazil,Green & Co,5,132,$3.05,04/02/2025,',
    ]),
    lots: [
      {
        lot_number: 'RT-1',
        initial_weight: 689.460_402,
        cost_per_kg: 9.259415,
        purchase_date: '2025-03-25',
        supplier: 'Green & Co, Ltd',
      },
      { lot_number: 'RT-2', initial_weight: 299.370_964, purchase_date: '2025-04-02' },
    ],
    notImported: [],
  },
  {
    name: 'rohkaffee.csv',
    bytes: text(
      [
        'Los-Nr;Bezeichnung;Herkunftsland;Aufbereitung;Höhe (m);Säcke;Sackgewicht;Einkaufspreis (€/kg);Eingang;Lagerort',
        '24-017;Santa Bárbara;Honduras;gewaschen;1.450-1.600;4;69 kg;7,85;3.4.2025;Regal 2',
        '24-018;Sidamo;Äthiopien;natural;1.900;10;60 kg;8,10;17.4.2025;Regal 3',
      ],
      'latin1',
    ),
    lots: [
      {
        lot_number: '24-017',
        coffee_name: 'Santa Bárbara',
        altitude: 1525,
        initial_weight: 276,
        cost_per_kg: 7.85,
        purchase_date: '2025-04-03',
        location: 'Regal 2',
      },
      { lot_number: '24-018', origin: 'Äthiopien', altitude: 1900, initial_weight: 600 },
    ],
    notImported: [],
  },
  {
    name: 'lotes.csv',
    bytes: text([
      'Lote;Nombre;País;Variedad;Proceso;Cantidad;Precio por kg;Fecha de compra;Puntaje',
      'C-1;La Palma;Colombia;Castillo;lavado;1.250,5 kg;6,40;28/02/2025;86,5',
      'C-2;Narino;Colombia;Caturra;honey;12 sacos de 70 kg;7,05;01/03/2025;87',
    ]),
    lots: [
      { lot_number: 'C-1', initial_weight: 1250.5, cost_per_kg: 6.4, purchase_date: '2025-02-28', cupping_score: 86.5 },
      { lot_number: 'C-2', initial_weight: 840, purchase_date: '2025-03-01' },
    ],
    notImported: [],
  },
  {
    name: 'excel-stock.xls',
    bytes: workbook(
      {
        Read: [['How to use this book'], ['Nothing here']],
        Stock: [
          ['Coffee', 'Country', 'On hand', 'Cost (per lb)', 'Code'],
          ['Kiambu AA', 'Kenya', '132 lb', 5.5, 'K-9'],
          ['Gayo', 'Indonesia', '500 g', 4, 'S-2'],
        ],
      },
      'xls',
    ),
    lots: [
      { lot_number: 'K-9', initial_weight: 59.874_193, cost_per_kg: 12.125424 },
      { lot_number: 'S-2', initial_weight: 0.5 },
    ],
    notImported: [],
  },
  {
    name: '生豆.csv',
    bytes: text([
      'ロット番号,銘柄,生産国,精製,重量(kg),単価(/kg),入荷日',
      'J-1,イルガチェフェ,エチオピア,ウォッシュド,60,1450,2025/04/01',
    ]),
    lots: [
      {
        lot_number: 'J-1',
        coffee_name: 'イルガチェフェ',
        origin: 'エチオピア',
        initial_weight: 60,
        cost_per_kg: 1450,
        purchase_date: '2025-04-01',
      },
    ],
    notImported: [],
  },
];
