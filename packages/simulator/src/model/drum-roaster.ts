/**
 * Thermal model of a gas-fired drum roaster. Lumped masses: drum with housing, beans (dry matter and water), the gas
 * that flows through, and the probes with their lag. Every figure scales with the machine's capacity, so a 7 kg and a
 * 30 kg machine roast alike. Figures are chosen so that the curves lie among the real ones we have: turning point
 * after 60 to 110 s, first crack near 198 °C after 7 to 9.5 minutes, rate of rise from about 20 to 5 °C/min.
 */
export interface RoasterControls {
  /** Burner, 0…100 %. */
  readonly heatPercent: number;
  /** Exhaust fan or damper, 0…100 %. */
  readonly airPercent: number;
  readonly drumRpm: number;
}

/** Green coffee as it goes into the drum. */
export interface GreenCoffee {
  /** Water, % of the green weight; 9 to 12.5 is usual. */
  readonly moisturePercent: number;
  /** g/mL, poured; 0.62 (low grown) to 0.75 (high grown). Dense beans take heat slower and crack a little later. */
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
  /** How slowly these beans take heat; 1 is usual. */
  readonly slowness: number;
  /** 0 before first crack, 1 when all beans have cracked. */
  readonly cracked: number;
}

export interface RoasterState {
  readonly capacityKg: number;
  readonly ambientC: number;
  /** What burner, fan and drum really do: they follow the controls with a lag. */
  readonly heatPercent: number;
  readonly airPercent: number;
  readonly drumRpm: number;
  readonly drumTempC: number;
  readonly inletTempC: number;
  readonly exhaustTempC: number;
  readonly burnerFrontTempC: number;
  readonly burnerBackTempC: number;
  /** Pressure in the drum against the room, Pa; below zero while the fan draws. */
  readonly drumPressurePa: number;
  readonly beans: BeansInDrum | null;
  /** How long the discharge door stays open yet, s: cold air falls in past the bean probe. */
  readonly doorOpenSeconds: number;
  /** What the probes show, without noise. */
  readonly beanProbeC: number;
  readonly exhaustProbeC: number;
}

/** kW per kg of capacity at full burner. */
const burnerKwPerKg = 2.5;
/** Share of the burner's heat that goes into the gas; the rest heats drum and housing. */
const gasShare = 0.64;
/** Drum with housing, kJ/K per kg of capacity: about 9 kg of steel. */
const drumKjPerKkg = 4.4;
const lossKwPerKkg = 0.0006;
/** Water: heat of evaporation with desorption, kJ/kg, and heat capacity, kJ/(kg K). */
const evaporationKjPerKg = 2500;
const waterKjPerKgK = 4.19;
const specificHeatOf = (tempC: number): number => 1.35 + 0.003 * tempC;

/** One control's way to where it is told to be. */
const approach = (value: number, target: number, dtSeconds: number, lagSeconds: number): number =>
  target + (value - target) * Math.exp(-dtSeconds / lagSeconds);

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** An empty machine whose drum has this temperature throughout. */
export const emptyRoaster = (capacityKg: number, drumTempC: number, ambientC = 24): RoasterState => ({
  capacityKg,
  ambientC,
  heatPercent: 0,
  airPercent: 30,
  drumRpm: 0,
  drumTempC,
  inletTempC: drumTempC,
  exhaustTempC: drumTempC * 0.9,
  burnerFrontTempC: drumTempC,
  burnerBackTempC: drumTempC,
  drumPressurePa: 0,
  beans: null,
  doorOpenSeconds: 0,
  beanProbeC: drumTempC,
  exhaustProbeC: drumTempC * 0.9,
});

/** Green coffee falls into the drum at room temperature. `crackShiftC` tells one lot from another. */
export const chargeBeans = (
  roaster: RoasterState,
  greenKg: number,
  coffee: GreenCoffee = usualGreenCoffee,
  crackShiftC = 0,
): RoasterState => {
  const waterKg = (greenKg * coffee.moisturePercent) / 100;
  const denser = (coffee.densityGramsPerMl - usualGreenCoffee.densityGramsPerMl) / 0.06;
  return {
    ...roaster,
    doorOpenSeconds: 0,
    beans: {
      greenKg,
      dryKg: greenKg - waterKg,
      waterKg,
      tempC: roaster.ambientC,
      // Seen by the probe 196 … 204 °C on the real roasts; drier beans crack a little earlier.
      crackTempC: clamp(199.8 + denser * 1.2 + (coffee.moisturePercent - 11) * 0.6 + crackShiftC, 197.5, 203.5),
      slowness: clamp(1 + 0.05 * denser, 0.85, 1.15),
      cracked: 0,
    },
  };
};

/** The door opens and the beans leave for the cooler. */
export const dropBeans = (roaster: RoasterState): RoasterState => ({ ...roaster, beans: null, doorOpenSeconds: 35 });

/** What the beans weigh now, kg. */
export const beanWeightKg = (beans: BeansInDrum): number => beans.dryKg + beans.waterKg;

interface BeanStep {
  readonly beans: BeansInDrum;
  readonly fromGasKw: number;
  readonly fromDrumKw: number;
}

/** Heat into the beans, water out of them, and what first crack does to both. */
const stepBeans = (roaster: RoasterState, beans: BeansInDrum, gasKwPerK: number, dtSeconds: number): BeanStep => {
  const { tempC } = beans;
  const turning = 0.55 + 0.45 * clamp(roaster.drumRpm / 60, 0, 1.4);
  const airEffect = 0.55 + 0.9 * (roaster.airPercent / 100);
  const gasContact = (0.0038 * beans.greenKg * turning * airEffect) / beans.slowness;
  const fromGasKw = (1 - Math.exp(-gasContact / gasKwPerK)) * gasKwPerK * (roaster.inletTempC - tempC);
  const fromDrumKw = ((0.0046 * beans.greenKg * turning) / beans.slowness) * (roaster.drumTempC - tempC);

  // Cracking starts at its temperature and takes about a minute and a half; it lets steam go and then gives heat.
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
      ...beans,
      tempC: tempC + heatKj / capacityKjPerK,
      waterKg: beans.waterKg - evaporated,
      dryKg: beans.dryKg - gasLoss,
      cracked: Math.min(1, beans.cracked + crackedBy),
    },
  };
};

/** The machine `dtSeconds` later. Pure. Keep the step at or under half a second: the gas answers within seconds. */
export const stepRoaster = (roaster: RoasterState, controls: RoasterControls, dtSeconds: number): RoasterState => {
  const { capacityKg, ambientC } = roaster;
  const heatPercent = approach(roaster.heatPercent, clamp(controls.heatPercent, 0, 100), dtSeconds, 4);
  const airPercent = approach(roaster.airPercent, clamp(controls.airPercent, 0, 100), dtSeconds, 2.5);
  const drumRpm = approach(roaster.drumRpm, Math.max(0, controls.drumRpm), dtSeconds, 1.5);
  const moving = { ...roaster, heatPercent, airPercent, drumRpm };

  const burnerKw = (burnerKwPerKg * capacityKg * heatPercent) / 100;
  const gasKwPerK = capacityKg * (0.0017 + 0.0033 * (airPercent / 100));
  const bean = roaster.beans === null ? null : stepBeans(moving, roaster.beans, gasKwPerK, dtSeconds);

  // Gas: heated by the burner and, on its way in, by the housing; cooled by beans and drum on its way out.
  const fromHousing = 0.55;
  const inletTarget =
    ambientC +
    (burnerKw * gasShare) / gasKwPerK +
    fromHousing * (roaster.drumTempC - ambientC) * (1 - heatPercent / 160);
  const inletTempC = approach(roaster.inletTempC, inletTarget, dtSeconds, 9);
  const housingKw = gasKwPerK * fromHousing * (roaster.drumTempC - ambientC) * (1 - heatPercent / 160);
  const drumContact = 0.0011 * capacityKg;
  const gasToDrumKw = (1 - Math.exp(-drumContact / gasKwPerK)) * gasKwPerK * (inletTempC - roaster.drumTempC);
  const exhaustTarget = inletTempC - (gasToDrumKw + (bean?.fromGasKw ?? 0)) / gasKwPerK;
  const coldAir = roaster.doorOpenSeconds > 0 ? 0.5 : 0;
  const exhaustTempC = approach(
    roaster.exhaustTempC,
    exhaustTarget + coldAir * 0.6 * (ambientC - exhaustTarget),
    dtSeconds,
    5,
  );

  const drumKw =
    burnerKw * (1 - gasShare) +
    gasToDrumKw -
    housingKw -
    (bean?.fromDrumKw ?? 0) -
    (lossKwPerKkg + 0.002 * coldAir) * capacityKg * (roaster.drumTempC - ambientC);
  const drumTempC = roaster.drumTempC + (drumKw * dtSeconds) / (drumKjPerKkg * capacityKg);

  // The bean probe sits in the moving bed and sees some of the gas; in an empty drum it hangs in the air.
  const full = bean === null ? 0 : clamp(bean.beans.greenKg / (0.55 * capacityKg), 0.35, 1);
  const seesGas = 0.07 + 0.08 * (1 - full);
  const emptyTarget = 0.75 * drumTempC + 0.25 * exhaustTempC;
  const beanTarget =
    bean === null
      ? emptyTarget + coldAir * (ambientC - emptyTarget)
      : (1 - seesGas) * bean.beans.tempC + seesGas * exhaustTempC;
  const beanProbeC = approach(roaster.beanProbeC, beanTarget, dtSeconds, bean === null ? 34 : 36 - 5 * full);

  const flame = heatPercent / 100;
  const frontTarget = 0.5 * drumTempC + 0.35 * inletTempC + 215 * flame;
  const backTarget = 0.58 * drumTempC + 0.3 * inletTempC + 150 * flame;
  return {
    ...moving,
    drumTempC,
    inletTempC,
    exhaustTempC,
    burnerFrontTempC: approach(roaster.burnerFrontTempC, frontTarget, dtSeconds, 14),
    burnerBackTempC: approach(roaster.burnerBackTempC, backTarget, dtSeconds, 22),
    drumPressurePa: -(8 + 92 * (airPercent / 100) ** 1.7) + 12 * flame,
    beans: bean?.beans ?? null,
    doorOpenSeconds: Math.max(0, roaster.doorOpenSeconds - dtSeconds),
    beanProbeC,
    exhaustProbeC: approach(roaster.exhaustProbeC, 0.8 * exhaustTempC + 0.2 * drumTempC, dtSeconds, 9),
  };
};
