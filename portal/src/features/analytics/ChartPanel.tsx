import type { ReactNode } from 'react';
import { Skeleton } from '../../ui/Card.tsx';

interface ChartPanelProps {
  title: string;
  actions?: ReactNode;
  /** Keeps the chart's space while the data loads. */
  isLoading: boolean;
  height?: number;
  /** Below the chart. */
  foot?: ReactNode;
  children: ReactNode;
}

/** A card around a chart. */
export const ChartPanel = ({ title, actions, isLoading, height = 220, foot, children }: ChartPanelProps) => (
  <section
    aria-label={title}
    aria-busy={isLoading}
    className="flex min-w-0 flex-col rounded-lg border border-stroke bg-surface"
  >
    <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-3 gap-y-1 px-4 pt-2.5">
      <h2 className="text-base font-semibold text-strong">{title}</h2>
      {actions}
    </header>
    <div className="px-3 pt-2 pb-3">
      {isLoading ? (
        <div className="flex items-end gap-2 px-2 pb-6" style={{ height }}>
          {[0.5, 0.7, 0.45, 0.8, 0.6, 0.9, 0.55, 0.75].map((share, index) => (
            <div key={index} className="flex-1" style={{ height: `${share * 100}%` }}>
              <Skeleton className="h-full w-full" />
            </div>
          ))}
        </div>
      ) : (
        children
      )}
    </div>
    {foot !== undefined && <footer className="border-t border-stroke px-4 py-2.5 text-sm text-muted">{foot}</footer>}
  </section>
);
