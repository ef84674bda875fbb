import { X } from 'lucide-react';
import { useState } from 'react';
import { t } from '../language/t.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';

interface DismissNoticeProps {
  label: string;
  /** What is gone then, e.g. "Hide it until the lot is restocked?" */
  question: string;
  onDismiss: () => void;
}

/** The button was under the finger: the answer that changes nothing gets the focus. */
const focused = (button: HTMLButtonElement | null): void => button?.focus();

/**
 * Dismisses a notice that does not come back, after a question in its own place: a dialog's code would be in the first
 * page.
 */
export const DismissNotice = ({ label, question, onDismiss }: DismissNoticeProps) => {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return <IconButton label={label} size="sm" icon={<X aria-hidden />} onClick={() => setAsking(true)} />;
  }
  return (
    <fieldset aria-label={label} className="flex flex-wrap items-center justify-end gap-2">
      <span>{question}</span>
      <Button onClick={onDismiss}>{t`Dismiss`}</Button>
      <Button ref={focused} onClick={() => setAsking(false)}>{t`Keep`}</Button>
    </fieldset>
  );
};
