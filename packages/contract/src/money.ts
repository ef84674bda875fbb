const known = new Map<string, number>();

/** Decimals of a currency by ISO 4217: 2 of USD, 0 of JPY, 3 of KWD. Amounts are stored as integers of its smallest unit. */
export function minorDigits(currency: string): number {
  const digits = known.get(currency) ?? digitsOf(currency);
  known.set(currency, digits);
  return digits;
}

// The engine's own data rounds some currencies that ISO 4217 divides, because their coins are no longer used.
const dividedByIso: Readonly<Record<string, number>> = {
  AFN: 2,
  ALL: 2,
  COP: 2,
  IDR: 2,
  IRR: 2,
  KPW: 2,
  LAK: 2,
  LBP: 2,
  MGA: 2,
  MMK: 2,
  PKR: 2,
  RSD: 2,
  SLL: 2,
  SOS: 2,
  SYP: 2,
  YER: 2,
  IQD: 3,
  UGX: 0,
  CLP: 0,
  HUF: 2,
  TWD: 2,
  CRC: 2,
  NOK: 2,
  SEK: 2,
  CZK: 2,
  ISK: 0,
};

const digitsOf = (currency: string): number => {
  const named = dividedByIso[currency];
  if (named !== undefined) return named;
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch (error) {
    if (error instanceof RangeError) return 2;
    throw error;
  }
};

/** The ISO 4217 codes in use that a roastery can choose. */
export const currencies: readonly string[] = (
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC ' +
  'CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK ' +
  'JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR ' +
  'MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP ' +
  'STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG'
).split(' ');
