import { useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { useBlocker, useNavigate } from 'react-router-dom';
import { heldForm, holdForm } from '../../api/held-forms.ts';
import { useSession } from '../../api/session.tsx';
import { t } from '../../language/t.ts';
import { AlertDialog } from '../../ui/AlertDialog.tsx';
import { useDirtyDialog } from '../../ui/Dialog.tsx';
import { SignInAgain } from '../SignInAgain.tsx';

/** Of several guards on a page the router only calls the last one, so there is only one while its form is dirty. */
const LeavingGuard = () => {
  useDirtyDialog(true);
  const { hasEnded } = useSession();
  const [form] = useState(() => Symbol('form'));
  useLayoutEffect(() => holdForm(form), [form]);
  const blocker = useBlocker(({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  if (hasEnded && heldForm() === form) return <SignInAgain />;
  return (
    <AlertDialog
      open={blocker.state === 'blocked'}
      onCancel={() => blocker.reset?.()}
      onConfirm={() => blocker.proceed?.()}
      title={t`Leave without saving?`}
      confirmLabel={t`Leave`}
      cancelLabel={t`Stay`}
      danger
    >
      {t`What you changed on this page has not been saved.`}
    </AlertDialog>
  );
};

/**
 * Put it into a form. While the form is dirty, a confirmation is shown before its page is left (by a link, Back or closing the tab)
 * and before the modal around it is closed. When the session ends, the person signs in over the form.
 * A change of the query alone, such as a tab, does not leave the page. Forms of `useRecordForm` have it already.
 */
export const UnsavedChanges = ({ dirty }: { dirty: boolean }) => dirty && <LeavingGuard />;

/**
 * Leaves a form's page after saving. `isLeaving` is true before the navigation starts, so that the form no longer counts as dirty:
 * `<UnsavedChanges dirty={isDirty && !isLeaving} />`.
 */
export const useLeave = (): { isLeaving: boolean; leaveTo: (path: string) => void } => {
  const navigate = useNavigate();
  const [target, setTarget] = useState<string | null>(null);
  useEffect(() => {
    if (target !== null) void navigate(target);
  }, [target, navigate]);
  return { isLeaving: target !== null, leaveTo: useCallback((path: string) => setTarget(path), []) };
};
