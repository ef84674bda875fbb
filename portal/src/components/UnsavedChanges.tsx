import { useEffect, useLayoutEffect, useState } from 'react';
import { useBlocker } from 'react-router-dom';
import { heldForm, holdForm } from '../api/held-forms.ts';
import { useSession } from '../api/session.tsx';
import { AlertDialog } from '../ui/AlertDialog.tsx';
import { useDirtyDialog } from '../ui/Dialog.tsx';
import { SignInAgain } from './SignInAgain.tsx';

/**
 * Put it into a form with `dirty={formState.isDirty}`: leaving its page asks first, by link, Back, or closing the tab; and so
 * does closing the modal it stands in. When the session ends, a person signs in over the form.
 * A change of the query alone (a tab) is not leaving. After saving, reset the form before navigating.
 */
export const UnsavedChanges = ({ dirty }: { dirty: boolean }) => {
  useDirtyDialog(dirty);
  const { hasEnded } = useSession();
  const [form] = useState(() => Symbol('form'));
  useLayoutEffect(() => (dirty ? holdForm(form) : undefined), [dirty, form]);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!dirty) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [dirty]);
  if (dirty && hasEnded && heldForm() === form) return <SignInAgain />;
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
