import { Maximize2 } from 'lucide-react';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { useIsZoomed, type TimeViewStore } from './time-view.ts';

/** Shows the whole time again; nothing while it is shown. */
export const ResetZoom = ({ view }: { view: TimeViewStore }) => {
  if (!useIsZoomed(view)) return null;
  return (
    <Button kind="quiet" icon={<Maximize2 aria-hidden />} onClick={() => view.reset()}>
      {t`Show all`}
    </Button>
  );
};
