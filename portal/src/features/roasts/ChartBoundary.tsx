import { RotateCw, TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { logError } from '../../api/error-log.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';

/** A chart that throws must not break the page. */
export class ChartBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error) {
    logError('Chart Rendering Error', error);
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <div role="alert" className="flex h-[500px] flex-col items-center justify-center gap-1 text-center">
        <TriangleAlert aria-hidden className="mb-2 size-6 text-danger" />
        <p className="text-lg font-semibold text-strong">{t`Chart Error`}</p>
        <p className="text-base text-muted">{t`Chart Rendering Error`}</p>
        <Button icon={<RotateCw aria-hidden />} onClick={() => location.reload()} className="mt-4">
          {t`Reload Page`}
        </Button>
      </div>
    );
  }
}
