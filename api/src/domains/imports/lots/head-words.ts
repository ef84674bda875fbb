import { lotImportFields, type LotImportField, type LotImportUnit } from '@roastery/contract/lot-imports';

/** No column has a longer name. */
export const maxHeadLength = 120;

/**
 * Names of columns in the lists of roasteries and in the exports of Cropster, RoasterTools and Artisan, in several
 * languages. In the form that `plainHead` returns: lower case, no accents, no units, no filler words.
 */
const words: Readonly<Record<LotImportField, string>> = {
  lot_number:
    'lot number|lot no|lot nr|lot id|lot|lot code|lot ref|id tag|idtag|lot id tag|code|sku|reference|ref|batch number|ico|ico mark|ico number|los|losnummer|los nr|chargennummer|partie|partienummer|lote|numero lote|n lote|codigo|numero lot|n lot|lotto|numero lotto|partij|partijnummer|ロット|ロット番号|批号|批次|批次号|лот|номер лота|партия',
  coffee_name:
    'coffee name|coffee|name|lot name|green coffee|green|greens|bean|beans|bean name|beans name|green name|green bean|product|product name|item|item name|description|title|label|kaffee|kaffeename|bezeichnung|rohkaffee|sorte name|cafe|nom|nom cafe|nombre|nombre cafe|nome|nome cafe|nome caffe|caffe|koffie|naam|koffienaam|コーヒー|コーヒー名|銘柄|商品名|豆|生豆|咖啡|咖啡名称|名称|название|кофе|наименование',
  origin:
    'origin|country|country origin|origin country|herkunft|herkunftsland|land|ursprung|ursprungsland|pays|pays origine|origine|pais|pais origen|origen|origem|pais origem|paese|paese origine|land herkomst|herkomst|生産国|原産国|産地|产地|国家|原产国|страна|происхождение',
  region:
    'region|area|district|anbaugebiet|anbauregion|regione|regiao|zona|province|provincia|regio|地域|地区|产区|регион',
  farm: 'farm|farm name|producer|producers|estate|station|washing station|mill|cooperative|coop|grower|finca|hacienda|fazenda|productor|produtor|produttore|producteur|ferme|erzeuger|produzent|farmer|plantage|boerderij|農園|生産者|农场|庄园|生产者|ферма|производитель',
  variety:
    'variety|varieties|varietal|varietals|cultivar|cultivars|varietat|varietaten|sorte|botanische sorte|variete|varietes|variedad|variedades|variedade|varieta|varieteit|品種|品种|сорт|разновидность',
  process:
    'process|processing|process method|processing method|processing type|method|aufbereitung|verarbeitung|prozess|traitement|procede|proceso|beneficio|processo|lavorazione|verwerking|bewerking|精製|精製方法|生産処理|处理法|处理方式|обработка',
  altitude: 'altitude|elevation|height|hohe|anbauhohe|altura|altitud|altitudine|hoogte|標高|海拔|высота',
  harvest_date:
    'harvest|harvest date|harvest year|crop|crop year|harvested|harvest season|ernte|erntejahr|erntedatum|recolte|annee recolte|date recolte|cosecha|fecha cosecha|colheita|safra|raccolto|oogst|oogstjaar|収穫|収穫年|采收|收获|产季|урожай',
  supplier:
    'supplier|importer|vendor|trader|seller|purchased from|bought from|source|lieferant|importeur|handler|fournisseur|importateur|proveedor|importador|fornecedor|fornitore|importatore|leverancier|仕入先|供給者|供应商|进口商|поставщик|импортер',
  purchase_date:
    'purchase date|date purchase|purchased|bought|date bought|date|arrival|arrival date|received|date received|received date|delivery|delivery date|date added|order date|invoice date|kaufdatum|einkaufsdatum|einkauf|eingang|eingangsdatum|wareneingang|lieferdatum|datum|date achat|date arrivee|date reception|fecha|fecha compra|fecha llegada|data|data compra|data chegada|data acquisto|data arrivo|aankoopdatum|入荷日|購入日|仕入日|采购日期|到货日期|дата|дата покупки|дата поступления',
  cost_per_kg:
    'cost per|cost|price|price per|unit price|unit cost|purchase price|fob|fob price|green cost|green price|cost kg|price kg|cost lb|price lb|preis|einkaufspreis|ek preis|ek|kosten|prix|prix unitaire|cout|precio|precio unitario|costo|coste|preco|custo|prezzo|prezzo unitario|prijs|価格|単価|仕入価格|价格|单价|цена|стоимость',
  total_cost:
    'total cost|total price|total|amount|total value|value|total amount|invoice amount|gesamtpreis|gesamtkosten|betrag|summe|wert|prix total|montant|total prix|precio total|importe|valor|valor total|custo total|preco total|prezzo totale|totale|importo|totaalprijs|bedrag|合計|金額|总价|金额|总额|сумма',
  initial_weight:
    'initial weight|weight|original weight|quantity|qty|amount bought|amount purchased|purchased weight|purchased amount|received weight|total weight|net weight|start weight|starting weight|bought weight|gewicht|anfangsgewicht|eingangsgewicht|nettogewicht|menge|poids|poids initial|poids net|quantite|peso|peso inicial|peso neto|cantidad|peso liquido|quantidade|peso iniziale|peso netto|quantita|hoeveelheid|begingewicht|nettogewicht|重量|数量|初期重量|总重|净重|重量|вес|количество|начальный вес',
  current_weight:
    'current weight|actual weight|remaining|remaining weight|weight remaining|weight left|left|on hand|quantity on hand|qty on hand|stock|in stock|current stock|stock weight|available|available weight|inventory|balance|bestand|lagerbestand|restmenge|rest|restgewicht|aktuelles gewicht|stock actuel|poids restant|reste|existencias|peso actual|peso restante|estoque|peso atual|restante|giacenza|peso attuale|rimanente|voorraad|在庫|在庫量|残量|库存|剩余|剩余重量|остаток|на складе',
  bags: 'bags|bag count|number bags|no bags|num bags|bag qty|bag quantity|sacks|number sacks|sacke|anzahl sacke|sack|anzahl|sacs|nombre sacs|sacos|numero sacos|n sacos|bolsas|sacas|sacchi|numero sacchi|zakken|aantal zakken|袋数|袋|мешки|мешков',
  bag_weight:
    'bag weight|bag size|weight bag|weight per bag|size bag|bag type|bag|sack weight|sackgewicht|sackgrosse|poids sac|taille sac|peso saco|peso por saco|tamano saco|peso saca|peso sacco|zakgewicht|袋重量|袋重|每袋重量|вес мешка',
  location:
    'location|warehouse|storage|storage location|shelf|bin|lager|lagerort|lagerplatz|standort|emplacement|entrepot|ubicacion|almacen|bodega|localizacao|armazem|local|posizione|magazzino|locatie|magazijn|倉庫|保管場所|仓库|位置|склад|место',
  cupping_score:
    'cupping score|score|cup score|sca score|sca|scaa|quality score|points|cupping|punkte|cupping punkte|sca punkte|note sca|notation|score sca|puntaje|puntuacion|pontuacao|nota|punteggio|カッピングスコア|スコア|杯测分数|评分|оценка|балл',
  moisture_content:
    'moisture|moisture content|humidity|feuchte|feuchtigkeit|restfeuchte|humidite|humedad|umidade|umidita|vocht|vochtgehalte|水分|含水率|水分含量|влажность',
  water_activity:
    'water activity|aw|wa|wasseraktivitat|activite eau|actividad agua|atividade agua|attivita acqua|wateractiviteit|水分活性|水活性|активность воды',
  density: 'density|green density|dichte|rohdichte|densite|densidad|densidade|densita|dichtheid|密度|плотность',
  screen_size:
    'screen size|screen|bean size|sieb|siebgrosse|bohnengrosse|crible|taille|calibre|criba|malla|peneira|crivello|zeef|スクリーン|目数|размер|скрин',
  notes:
    'notes|note|comments|comment|remarks|remark|cup notes|tasting notes|cupping notes|flavor|flavour|flavors|bemerkung|bemerkungen|notizen|kommentar|anmerkung|remarques|commentaire|notas|observaciones|comentarios|observacoes|note degustazione|opmerkingen|備考|メモ|备注|примечание|заметки',
};

const fieldsByWord = new Map<string, LotImportField>();
for (const field of lotImportFields) {
  for (const word of words[field].split('|')) if (!fieldsByWord.has(word)) fieldsByWord.set(word, field);
}

/** Units, currencies and filler words: they do not identify a column. */
const fillers = new Set(
  'kg kgs kilo kilos kilogram kilograms kilogramm g gram grams gr lb lbs pound pounds oz t to ton tons tonne tonnes usd eur gbp chf jpy cad aud brl cents cent ct the of in de del du da do di la le d van der des en per pro par por a au masl m ft asl ms nn gml gl ml l cm3 date time'.split(
    ' ',
  ),
);
/** They only have a meaning at the end of a head. */
const keptFillers = new Set(['date', 'per']);

const split = (head: string): string[] =>
  head
    .slice(0, maxHeadLength)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    // A unit between brackets, and separators.
    .replaceAll(/[([{][^)\]}]*[)\]}]/g, ' ')
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ');

const plainHead = (head: string, keeps: ReadonlySet<string>): string =>
  split(head)
    .filter((word) => !fillers.has(word) || keeps.has(word))
    .join(' ');

/** `initial_weight` → `initial weight` */
const ownName = (head: string): LotImportField | undefined => {
  const name = split(head).join('_');
  return lotImportFields.find((field) => field === name);
};

/** A unit after `per` or `/`, and amounts of money, mean a price; the whole head is checked, brackets included. */
const money = /[$€£¥₩]|\b(?:usd|eur|gbp|chf|jpy|cad|aud|nzd|brl|dkk|sek|nok|pln|czk|cents?|¢)\b/i;
const perPound = /(?:\/|\bper\b|\bpro\b|\bpar\b|\bpor\b|\bal?\b)\s*(?:lbs?|pounds?|libra)\b/i;
const perKilo = /(?:\/|\bper\b|\bpro\b|\bpar\b|\bpor\b|\bal?\b)\s*(?:kgs?|kilos?|kilogram\w*)\b/i;
const perBag = /(?:\/|\bper\b|\bpro\b|\bpar\b|\bpor\b)\s*(?:bags?|sacks?|sacs?|sacos?|sacco|zak)\b/i;

const priceWord = /price|cost|preis|prix|cout|precio|preco|prezzo|prijs|価格|単価|价|цена/i;

/** The field of a column by its head; undefined for an unknown name. */
export const fieldOfHead = (head: string): LotImportField | undefined => {
  const text = head.slice(0, maxHeadLength);
  const own = ownName(text);
  if (own !== undefined) return own;
  const found = fieldsByWord.get(plainHead(text, keptFillers)) ?? fieldsByWord.get(plainHead(text, new Set()));
  const isMoney = money.test(text) || priceWord.test(text);
  if (isMoney && (perPound.test(text) || perKilo.test(text) || perBag.test(text))) return 'cost_per_kg';
  if (found === 'initial_weight' && perBag.test(text)) return 'bag_weight';
  return found;
};

const weightWords: readonly (readonly [RegExp, LotImportUnit])[] = [
  [/\b(?:kgs?|kilos?|kilogram\w*)\b|кг|公斤|千克/i, 'kg'],
  [/\b(?:lbs?|pounds?|libras?)\b|磅|ポンド/i, 'lb'],
  [/\b(?:oz|ounces?)\b/i, 'oz'],
  [/\b(?:t|tons?|tonnes?|tonelada|mt)\b/i, 't'],
  [/\b(?:g|gr|grams?|gramm)\b/i, 'g'],
];

/** The unit that a head names for its column. */
export const unitOfHead = (head: string, field: LotImportField): LotImportUnit | undefined => {
  const text = head.slice(0, maxHeadLength).replaceAll('_', ' ');
  if (field === 'cost_per_kg') {
    if (perPound.test(text) || /\blbs?\b/i.test(text))
      return /¢|\bcents?\b|\bct\b/i.test(text) ? 'cents_per_lb' : 'per_lb';
    if (perBag.test(text)) return 'per_bag';
    return /\bkgs?\b|kilo/i.test(text) ? 'per_kg' : undefined;
  }
  if (field === 'density') {
    if (/\bg\s*\/\s*(?:ml|cm|cc)/i.test(text)) return 'g_ml';
    return /\b(?:g\s*\/\s*l|kg\s*\/\s*m)/i.test(text) ? 'g_l' : undefined;
  }
  if (field === 'altitude')
    return /\b(?:ft|feet|foot)\b/i.test(text)
      ? 'ft'
      : /\b(?:m|masl|meters?|metres?|msnm)\b/i.test(text)
        ? 'm'
        : undefined;
  if (field !== 'initial_weight' && field !== 'current_weight' && field !== 'bag_weight') return undefined;
  return weightWords.find(([word]) => word.test(text))?.[1];
};
