import { lazy, Suspense, useState, type ComponentType } from 'react';

/**
 * A dialog whose code is loaded when it is opened for the first time: forms and their schemas are larger than the page
 * behind them. It stays mounted afterwards, so that closing can fade.
 *
 *     const EditMachineDialog = lazyDialog(
 *       async () => (await import('./EditMachineDialog.tsx')).EditMachineDialog,
 *       ({ machine }) => machine !== null,
 *     );
 */
export const lazyDialog = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isOpen: (props: Props) => boolean,
): ComponentType<Props> => {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function LazyDialog(props: Props) {
    const [wasOpen, setWasOpen] = useState(false);
    if (!wasOpen && isOpen(props)) setWasOpen(true);
    return wasOpen ? (
      <Suspense fallback={null}>
        <Loaded {...props} />
      </Suspense>
    ) : null;
  };
};
