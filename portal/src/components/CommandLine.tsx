import { classes } from '../ui/classes.ts';
import { CopyButton } from './CopyButton.tsx';

interface CopyLineProps {
  text: string;
  /** Name of the button that copies it. */
  label: string;
  className: string;
  testId?: string;
}

const CopyLine = ({ text, label, className, testId }: CopyLineProps) => (
  <div className="flex items-center justify-between gap-2 rounded-md border border-stroke bg-sunken py-1.5 pr-2 pl-3">
    <code data-testid={testId} className={classes('font-mono', className)}>
      {text}
    </code>
    <CopyButton text={text} label={label} />
  </div>
);

/** A command for the board, to be copied: one line, or several. */
export const CommandLine = ({ command, label }: { command: string; label: string }) => (
  <CopyLine text={command} label={label} className="text-xs wrap-anywhere whitespace-pre-wrap text-content" />
);

/** A text that is shown once, to be copied: a token, a secret address. */
export const SecretLine = ({ secret, ...props }: { secret: string; label: string; testId?: string }) => (
  <CopyLine text={secret} {...props} className="text-sm break-all text-strong" />
);
