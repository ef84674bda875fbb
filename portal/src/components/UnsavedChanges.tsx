import { useEffect } from 'react';
import { useBlocker } from 'react-router-dom';
import { AlertDialog } from '../ui/AlertDialog.tsx';

/**
 * Put it into a form's page with `dirty={formState.isDirty}`: leaving it asks first, by link, Back, or closing the tab.
 * A change of the query alone (a tab) is not leaving. After saving, reset the form before navigating.
 */
export const UnsavedChanges = ({ dirty }: { dirty: boolean }) => {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!dirty) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [dirty]);
  return (
    <AlertDialog
      open={blocker.state === 'blocked'}
      onCancel={() => blocker.reset?.()}
      onConfirm={() => blocker.proceed?.()}
      title="Leave without saving?"
      confirmLabel="Leave"
      cancelLabel="Stay"
      danger
    >
      What you changed on this page has not been saved.
    </AlertDialog>
  );
};
