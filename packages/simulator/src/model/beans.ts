/** Green coffee at the charge. */
export interface GreenCoffee {
  /** Water, % of the green weight; 9 to 12.5 is usual. */
  readonly moisturePercent: number;
  /** g/mL, poured; 0.62 (low grown) to 0.75 (high grown). Dense beans heat up more slowly and crack a little later. */
  readonly densityGramsPerMl: number;
}

export const usualGreenCoffee: GreenCoffee = { moisturePercent: 11, densityGramsPerMl: 0.69 };

export interface BeansInDrum {
  readonly greenKg: number;
  readonly dryKg: number;
  readonly waterKg: number;
  readonly tempC: number;
  /** Temperature at which this coffee starts to crack, °C. */
  readonly crackTempC: number;
  /** How slowly these beans heat up; 1 is usual. */
  readonly slowness: number;
  /** 0 before first crack, 1 when all beans have cracked. */
  readonly cracked: number;
}

/** Water: heat of evaporation with desorption, kJ/kg, and heat capacity, kJ/(kg K). */
const evaporationKjPerKg = 2500;
const waterKjPerKgK = 4.19;
const specificHeatOf = (tempC: number): number => 1.35 + 0.003 * tempC;

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** Green coffee at room temperature. `crackShiftC` distinguishes lots. */
export const greenBeans = (greenKg: number, coffee: GreenCoffee, tempC: number, crackShiftC: number): BeansInDrum => {
  const waterKg = (greenKg * coffee.moisturePercent) / 100;
  const denser = (coffee.densityGramsPerMl - usualGreenCoffee.densityGramsPerMl) / 0.06;
  return {
    greenKg,
    dryKg: greenKg - waterKg,
    waterKg,
    tempC,
    // The probe then shows 195 to 205 °C at the first cracks; drier beans crack a little earlier.
    crackTempC: clamp(199.8 + denser * 1.2 + (coffee.moisturePercent - 11) * 0.6 + crackShiftC, 197.5, 203.5),
    slowness: clamp(1 + 0.05 * denser, 0.85, 1.15),
    cracked: 0,
  };
};

/** Current weight of the beans, kg. */
export const beanWeightKg = (beans: BeansInDrum): number => beans.dryKg + beans.waterKg;

/** The environment of the beans in the drum. */
export interface Surroundings {
  readonly drumRpm: number;
  readonly airPercent: number;
  readonly drumTempC: number;
  readonly inletTempC: number;
  /** Heat capacity of the gas that flows through, kW/K. */
  readonly gasKwPerK: number;
}

export interface BeanStep {
  readonly beans: BeansInDrum;
  readonly fromGasKw: number;
  readonly fromDrumKw: number;
}

/** Heat flow into the beans, water loss, and the effects of first crack on both. */
export const stepBeans = (surroundings: Surroundings, beans: BeansInDrum, dtSeconds: number): BeanStep => {
  const { tempC } = beans;
  const { drumRpm, airPercent, inletTempC, drumTempC, gasKwPerK } = surroundings;
  const turning = 0.55 + 0.45 * clamp(drumRpm / 60, 0, 1.4);
  const airEffect = 0.55 + 0.9 * (airPercent / 100);
  const gasContact = (0.0038 * beans.greenKg * turning * airEffect) / beans.slowness;
  const fromGasKw = (1 - Math.exp(-gasContact / gasKwPerK)) * gasKwPerK * (inletTempC - tempC);
  const fromDrumKw = ((0.0046 * beans.greenKg * turning) / beans.slowness) * (drumTempC - tempC);

  // Cracking starts at its temperature and takes about a minute and a half; it releases steam and then heat.
  const cracking = clamp((tempC - beans.crackTempC) / 7, 0, 1.6) * (1 - beans.cracked) * 0.024;
  const crackedBy = cracking * dtSeconds;
  const evaporated =
    beans.waterKg * clamp((0.0009 * Math.exp((tempC - 100) / 58) + cracking * 0.1) * dtSeconds, 0, 0.5);
  const crackHeatKw = cracking * beans.greenKg * (13 * beans.cracked);
  const exothermKw = 0.03 * beans.dryKg * Math.exp((tempC - 205) / 22);
  const gasLoss = beans.dryKg * 0.00012 * Math.exp((tempC - 200) / 20) * dtSeconds;

  const capacityKjPerK = beans.dryKg * specificHeatOf(tempC) + beans.waterKg * waterKjPerKgK;
  const heatKj = (fromGasKw + fromDrumKw + crackHeatKw + exothermKw) * dtSeconds - evaporated * evaporationKjPerKg;
  return {
    fromGasKw,
    fromDrumKw,
    beans: {
      greenKg: beans.greenKg,
      crackTempC: beans.crackTempC,
      slowness: beans.slowness,
      tempC: tempC + heatKj / capacityKjPerK,
      waterKg: beans.waterKg - evaporated,
      dryKg: beans.dryKg - gasLoss,
      cracked: Math.min(1, beans.cracked + crackedBy),
    },
  };
};
