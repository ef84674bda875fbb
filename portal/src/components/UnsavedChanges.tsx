import { useEffect } from 'react';
import { useBlocker } from 'react-router-dom';
import { AlertDialog } from '../ui/AlertDialog.tsx';
import { useDirtyDialog } from '../ui/Dialog.tsx';

/**
 * Put it into a form with `dirty={formState.isDirty}`: leaving its page asks first, by link, Back, or closing the tab; and so
 * does closing the modal it stands in.
 * A change of the query alone (a tab) is not leaving. After saving, reset the form before navigating.
 */
export const UnsavedChanges = ({ dirty }: { dirty: boolean }) => {
  useDirtyDialog(dirty);
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
