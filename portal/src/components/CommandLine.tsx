import { CopyButton } from './CopyButton.tsx';

interface CommandLineProps {
  /** One command, or several in lines of their own. */
  command: string;
  /** Name of the button that copies it. */
  label: string;
}

/** What a person types at a board, to be copied. */
export const CommandLine = ({ command, label }: CommandLineProps) => (
  <div className="flex items-center justify-between gap-2 rounded-md border border-stroke bg-sunken py-1.5 pr-2 pl-3">
    <code className="font-mono text-xs wrap-anywhere whitespace-pre-wrap text-content">{command}</code>
    <CopyButton text={command} label={label} />
  </div>
);
