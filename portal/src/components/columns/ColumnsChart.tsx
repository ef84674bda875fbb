import { useState, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { layPlot, shownLabels, type Plot } from './plot.ts';
import { useWidth } from './use-width.ts';

export interface ChartColumn {
  key: string;
  /** Under the column, where there is room. */
  axisLabel: string;
  /** Head of the card that explains the column. */
  title: string;
  lines: readonly (readonly [label: string, value: string])[];
  /** The roasts behind it. */
  link: string;
}

interface ColumnsChartProps {
  label: string;
  columns: readonly ChartColumn[];
  ticks: readonly number[];
  tickText: (value: number) => string;
  height?: number;
  /** Room that a label under the axis needs. */
  labelPixels?: number;
  /** Draws the columns, in SVG; `active` is the selected column. */
  children: (plot: Plot, active: number | null) => ReactNode;
}

/** Width of the card that explains a column. */
const cardPixels = 208;

/** Beside its column, so that it hides neither the column nor its neighbours on the other side; inside the chart. */
const cardLeft = (plot: Plot, active: number, width: number): number => {
  const beside = plot.step / 2 + 8;
  const right = plot.x(active) + beside;
  const left = right + cardPixels <= width ? right : plot.x(active) - beside - cardPixels;
  return Math.max(0, Math.min(left, width - cardPixels));
};

/** Which column an arrow key leads to; undefined for other keys. */
const columnOfKey = (key: string, from: number, last: number): number | undefined =>
  ({ ArrowLeft: Math.max(0, from - 1), ArrowRight: Math.min(last, from + 1), Home: 0, End: last })[key];

/**
 * A chart of columns, each a link to its roasts. SVG and links rather than a canvas, so that every figure can be
 * reached by keyboard (arrows move from column to column), read aloud, and opened in a new tab; by touch the first tap
 * explains and the second opens.
 */
export const ColumnsChart = (props: ColumnsChartProps) => {
  const { label, columns, ticks, tickText, height = 220, labelPixels = 56, children } = props;
  const [box, width] = useWidth<HTMLDivElement>();
  const [active, setActive] = useState<number | null>(null);
  const plot = layPlot({ width, height, columns: columns.length, ticks, tickText });
  const card = active === null ? undefined : columns[active];
  return (
    <div
      ref={box}
      className="relative"
      style={{ height }}
      onPointerLeave={(event) => {
        if (event.pointerType === 'mouse') setActive(null);
      }}
    >
      {width > 0 && (
        <svg aria-hidden width={width} height={height} className="absolute inset-0">
          <Ticks plot={plot} ticks={ticks} tickText={tickText} />
          <Labels {...{ plot, columns, active, height, labelPixels }} />
          {active !== null && (
            <rect
              x={plot.x(active) - plot.step / 2}
              y={plot.top}
              width={plot.step}
              height={plot.bottom - plot.top}
              className="fill-hover"
            />
          )}
          {children(plot, active)}
        </svg>
      )}
      <ColumnLinks {...{ label, columns, plot, active }} onActive={setActive} />
      {card !== undefined && active !== null && (
        <Card card={card} style={{ width: cardPixels, top: plot.top, left: cardLeft(plot, active, width) }} />
      )}
    </div>
  );
};

const Ticks = ({ plot, ticks, tickText }: { plot: Plot } & Pick<ColumnsChartProps, 'ticks' | 'tickText'>) =>
  ticks.map((tick) => (
    <g key={tick}>
      <line
        x1={plot.left}
        x2={plot.right}
        y1={plot.y(tick)}
        y2={plot.y(tick)}
        className={tick === 0 ? 'stroke-stroke-strong' : 'stroke-stroke'}
      />
      <text x={plot.left - 8} y={plot.y(tick) + 3.5} textAnchor="end" className="figures fill-muted font-mono text-2xs">
        {tickText(tick)}
      </text>
    </g>
  ));

interface LabelsProps {
  plot: Plot;
  columns: readonly ChartColumn[];
  active: number | null;
  height: number;
  labelPixels: number;
}

const Labels = ({ plot, columns, active, height, labelPixels }: LabelsProps) => {
  const labelled = shownLabels(columns.length, plot.right - plot.left, labelPixels);
  return columns.map(
    (column, index) =>
      labelled.has(index) && (
        <text
          key={column.key}
          x={Math.min(plot.x(index), plot.right - (column.axisLabel.length * 6.6) / 2)}
          y={height - 6}
          textAnchor="middle"
          className={classes('font-mono text-2xs', active === index ? 'fill-strong' : 'fill-muted')}
        >
          {column.axisLabel}
        </text>
      ),
  );
};

interface ColumnLinksProps {
  label: string;
  columns: readonly ChartColumn[];
  plot: Plot;
  active: number | null;
  onActive: (index: number | null) => void;
}

/** One stop for the Tab key; the arrows move between the columns. */
const ColumnLinks = ({ label, columns, plot, active, onActive }: ColumnLinksProps) => {
  const [stop, setStop] = useState<number | null>(null);
  const last = columns.length - 1;
  const tabStop = Math.min(stop ?? last, last);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const target = columnOfKey(event.key, tabStop, last);
    if (target === undefined) return;
    event.preventDefault();
    setStop(target);
    event.currentTarget.closest('ul')?.querySelectorAll('a')[target]?.focus();
  };
  return (
    <ul aria-label={label} className="absolute inset-0">
      {columns.map((column, index) => (
        <li key={column.key}>
          <Link
            to={column.link}
            tabIndex={index === tabStop ? 0 : -1}
            aria-label={`${column.title}: ${column.lines.map(([name, value]) => `${name} ${value}`).join(', ')}`}
            className="absolute rounded-sm focus-visible:-outline-offset-2"
            style={{
              left: plot.x(index) - plot.step / 2,
              width: plot.step,
              top: plot.top,
              height: plot.bottom - plot.top,
            }}
            onKeyDown={move}
            onPointerEnter={(event) => {
              if (event.pointerType === 'mouse') onActive(index);
            }}
            onFocus={(event) => {
              setStop(index);
              if (event.currentTarget.matches(':focus-visible')) onActive(index);
            }}
            onBlur={() => onActive(null)}
            onClick={(event) => {
              const isTouch = 'pointerType' in event.nativeEvent && event.nativeEvent.pointerType === 'touch';
              if (!isTouch || active === index) return;
              event.preventDefault();
              onActive(index);
            }}
          />
        </li>
      ))}
    </ul>
  );
};

const Card = ({ card, style }: { card: ChartColumn; style: CSSProperties }) => (
  <div
    aria-hidden
    className="pointer-events-none absolute z-20 rounded-md border border-stroke-strong bg-overlay px-3 py-2 text-sm shadow-overlay"
    style={style}
  >
    <p className="font-medium text-strong">{card.title}</p>
    <dl className="mt-1 flex flex-col gap-0.5">
      {card.lines.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-3">
          <dt className="text-muted">{name}</dt>
          <dd className="figures text-strong">{value}</dd>
        </div>
      ))}
    </dl>
    <p className="mt-1.5 text-xs text-muted pointer-fine:hidden">{t`Tap again to see the roasts`}</p>
  </div>
);
