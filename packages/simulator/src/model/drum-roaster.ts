import { clamp, greenBeans, stepBeans, usualGreenCoffee, type BeansInDrum, type GreenCoffee } from './beans.ts';

/**
 * Thermal model of a gas-fired drum roaster. Lumped masses: drum with housing, beans (dry matter and water), the gas
 * that flows through, and the probes with their lag. Every figure scales with the machine's capacity, so a 7 kg and a
 * 30 kg machine roast alike. Figures are chosen so that the curves lie among the recorded ones: turning point after 60
 * to 110 s, first crack near 198 °C after 7 to 9.5 minutes, rate of rise from about 20 to 5 °C/min.
 */
export interface RoasterControls {
  /** Burner, 0…100 %. */
  readonly heatPercent: number;
  /** Exhaust fan or damper, 0…100 %. */
  readonly airPercent: number;
  readonly drumRpm: number;
}

export interface RoasterState {
  readonly capacityKg: number;
  readonly ambientC: number;
  /** The actual state of burner, fan and drum: they follow the controls with a lag. */
  readonly heatPercent: number;
  readonly airPercent: number;
  readonly drumRpm: number;
  readonly drumTempC: number;
  readonly inletTempC: number;
  readonly exhaustTempC: number;
  readonly burnerFrontTempC: number;
  readonly burnerBackTempC: number;
  /** Pressure in the drum relative to the room, Pa; below zero while the fan runs. */
  readonly drumPressurePa: number;
  readonly beans: BeansInDrum | null;
  /** How long the discharge door stays open, s: cold air flows in past the bean probe. */
  readonly doorOpenSeconds: number;
  /** Readings of the probes, without noise. */
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
/** One control on its way to its set point. */
const approach = (value: number, target: number, dtSeconds: number, lagSeconds: number): number =>
  target + (value - target) * Math.exp(-dtSeconds / lagSeconds);

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

/** Charges green coffee at room temperature. `crackShiftC` distinguishes lots. */
export const chargeBeans = (
  roaster: RoasterState,
  greenKg: number,
  coffee: GreenCoffee = usualGreenCoffee,
  crackShiftC = 0,
): RoasterState => ({
  ...roaster,
  doorOpenSeconds: 0,
  beans: greenBeans(greenKg, coffee, roaster.ambientC, crackShiftC),
});

/** The door opens and the beans leave for the cooler. */
export const dropBeans = (roaster: RoasterState): RoasterState => ({ ...roaster, beans: null, doorOpenSeconds: 35 });

/** The machine `dtSeconds` later. Pure. Keep the step at or below half a second: the gas reacts within seconds. */
export const stepRoaster = (roaster: RoasterState, controls: RoasterControls, dtSeconds: number): RoasterState => {
  const { capacityKg, ambientC } = roaster;
  const heatPercent = approach(roaster.heatPercent, clamp(controls.heatPercent, 0, 100), dtSeconds, 4);
  const airPercent = approach(roaster.airPercent, clamp(controls.airPercent, 0, 100), dtSeconds, 2.5);
  const drumRpm = approach(roaster.drumRpm, Math.max(0, controls.drumRpm), dtSeconds, 1.5);

  const burnerKw = (burnerKwPerKg * capacityKg * heatPercent) / 100;
  const gasKwPerK = capacityKg * (0.0017 + 0.0033 * (airPercent / 100));
  const { drumTempC: drumBeforeC, inletTempC: inletBeforeC } = roaster;
  const surroundings = { drumRpm, airPercent, drumTempC: drumBeforeC, inletTempC: inletBeforeC, gasKwPerK };
  const bean = roaster.beans === null ? null : stepBeans(surroundings, roaster.beans, dtSeconds);

  // Gas: heated by the burner and, on its way in, by the housing; cooled by beans and drum on its way out.
  const fromHousing = 0.55;
  const inletTarget =
    ambientC + (burnerKw * gasShare) / gasKwPerK + fromHousing * (drumBeforeC - ambientC) * (1 - heatPercent / 160);
  const inletTempC = approach(inletBeforeC, inletTarget, dtSeconds, 9);
  const housingKw = gasKwPerK * fromHousing * (drumBeforeC - ambientC) * (1 - heatPercent / 160);
  const drumContact = 0.0011 * capacityKg;
  const gasToDrumKw = (1 - Math.exp(-drumContact / gasKwPerK)) * gasKwPerK * (inletTempC - drumBeforeC);
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
    (lossKwPerKkg + 0.002 * coldAir) * capacityKg * (drumBeforeC - ambientC);
  const drumTempC = drumBeforeC + (drumKw * dtSeconds) / (drumKjPerKkg * capacityKg);

  // The bean probe is in the moving bed and sees some of the gas; in an empty drum it hangs in the air.
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
    capacityKg,
    ambientC,
    heatPercent,
    airPercent,
    drumRpm,
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
