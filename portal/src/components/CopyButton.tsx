import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../language/t.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { toast } from '../ui/toast.ts';

const confirmationMs = 2000;

interface CopyButtonProps {
  /** The text to copy. */
  text: string;
  /** Names it: `Copy machine token`. */
  label: string;
  /** Shows the label as text, instead of only an icon. */
  withLabel?: boolean;
}

/** Copies a text and shows a confirmation for two seconds. */
export const CopyButton = ({ text, label, withLabel = false }: CopyButtonProps) => {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), confirmationMs);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    try {
      // The clipboard is absent on a page without TLS from another host; that fails like a refusal.
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast(t`Failed to copy to clipboard`, { tone: 'danger' });
    }
  };

  const icon = copied ? <Check aria-hidden className="text-success" /> : <Copy aria-hidden />;
  const shown = copied ? t`Copied` : label;
  return (
    <>
      {withLabel ? (
        <Button icon={icon} onClick={() => void copy()}>
          {shown}
        </Button>
      ) : (
        <IconButton icon={icon} label={shown} onClick={() => void copy()} />
      )}
      <span aria-live="polite" className="sr-only">
        {copied ? t`Copied` : ''}
      </span>
    </>
  );
};
