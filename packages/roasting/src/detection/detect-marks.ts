import {
  createRoastDetector,
  isRetraction,
  type DetectedKind,
  type Detection,
  type DetectorOptions,
  type DetectorSample,
  type Finding,
} from './detector.ts';
import { detectionLimits as limits } from './detection-limits.ts';

/** The marks of one roast. */
export interface DetectedRoast {
  /** In the order of time; provisional when the samples end before the confirmation. */
  readonly marks: readonly Detection[];
  /** Drop certain: the roast is complete. */
  readonly complete: boolean;
}

/**
 * The roasts in a series of samples, by the same rules as live. A series without a hot charge that begins cold and reaches
 * roasting temperatures is read again with cold charging.
 */
export function detectRoasts(samples: readonly DetectorSample[], options: DetectorOptions = {}): DetectedRoast[] {
  const roasts = replay(samples, options);
  if (options.charging !== undefined || !beginsCold(samples) || roasts.some(chargedForCertain)) return roasts;
  return replay(samples, { ...options, charging: 'cold' });
}

/** The marks of the longest roast in a series, for an import; empty when there is no roast. */
export function detectMarks(samples: readonly DetectorSample[], options: DetectorOptions = {}): readonly Detection[] {
  let longest: readonly Detection[] = [];
  for (const { marks } of detectRoasts(samples, options)) {
    if (spanOf(marks, samples) > spanOf(longest, samples)) longest = marks;
  }
  return longest;
}

/** With cold charging the fall at the drop looks like a hot charge at first, but never turns. */
function chargedForCertain({ marks }: DetectedRoast): boolean {
  return marks.some(({ kind, provisional }) => kind === 'charge' && !provisional);
}

function replay(samples: readonly DetectorSample[], options: DetectorOptions): DetectedRoast[] {
  const detector = createRoastDetector(options);
  const roasts: DetectedRoast[] = [];
  let marks = new Map<DetectedKind, Detection>();
  const close = (complete: boolean) => {
    if (marks.size > 0) {
      roasts.push({ marks: [...marks.values()].sort((a, b) => a.timeSeconds - b.timeSeconds), complete });
    }
    marks = new Map();
  };
  const take = (findings: readonly Finding[]) => {
    for (const finding of findings) {
      if (isRetraction(finding)) {
        marks.delete(finding.retract);
        continue;
      }
      marks.set(finding.kind, finding);
      if (finding.kind === 'drop' && !finding.provisional) close(true);
    }
  };
  for (const sample of samples) {
    const before = detector.state;
    const findings = detector.push(sample);
    if (before === 'roasting' && findings.length === 0 && detector.state === 'idle') close(false);
    take(findings);
  }
  take(detector.finish());
  close(false);
  return roasts;
}

function beginsCold(samples: readonly DetectorSample[]): boolean {
  const temps = samples.flatMap(({ beanTempC }) => (beanTempC === null ? [] : [beanTempC]));
  const first = temps[0];
  return first !== undefined && first <= limits.coldStartMaxC && temps.some((temp) => temp >= limits.dropMinC);
}

function spanOf(marks: readonly Detection[], samples: readonly DetectorSample[]): number {
  const first = marks[0];
  if (!first) return 0;
  const drop = marks.find(({ kind }) => kind === 'drop');
  return (drop?.timeSeconds ?? samples.at(-1)?.timeSeconds ?? first.timeSeconds) - first.timeSeconds;
}
