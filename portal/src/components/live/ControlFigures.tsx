import type { ReactNode } from 'react';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { Measure } from '../figures.tsx';

interface SmallFigureProps {
  label: string;
  /** The label is beside the figure, not above it. */
  beside?: boolean;
  className?: string;
  children: ReactNode;
}

/** One pair of a `<dl>`. */
export const SmallFigure = ({ label, beside = false, className, children }: SmallFigureProps) => (
  <div className={classes(beside ? 'flex items-baseline gap-2' : 'min-w-0', className)}>
    <dt className={classes('label-mono', beside ? undefined : 'truncate')}>{label}</dt>
    <dd className="font-medium">{children}</dd>
  </div>
);

interface ControlFiguresProps {
  /** The newest reading, by channel. */
  values: Readonly<Record<string, number | null>>;
  stale: boolean;
  beside?: boolean;
}

/** Exhaust temperature and the controls, beside the large figures of a running roast. */
export const ControlFigures = ({ values, stale, beside = false }: ControlFiguresProps) => (
  <>
    <SmallFigure label={t`Exhaust`} beside={beside}>
      <Measure quantity="temperature" value={values['exhaust_temp']} stale={stale} />
    </SmallFigure>
    <SmallFigure label={t`Gas`} beside={beside}>
      <Measure quantity="percent" value={values['heat_power']} digits={0} stale={stale} />
    </SmallFigure>
    <SmallFigure label={t`Airflow`} beside={beside}>
      <Measure quantity="percent" value={values['fan_speed']} digits={0} stale={stale} />
    </SmallFigure>
    <SmallFigure label={t`Drum`} beside={beside}>
      <Measure quantity="percent" value={values['drum_speed']} digits={0} stale={stale} />
    </SmallFigure>
  </>
);
