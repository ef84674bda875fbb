import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';

export interface Task {
  readonly id: string;
  readonly icon: ReactNode;
  readonly text: string;
  readonly to: string;
  readonly isUrgent?: boolean;
}

interface TaskRowProps {
  task: Task;
  /** Beside the link. */
  children?: ReactNode;
}

/** One line of what needs a person, which leads there. */
export const TaskRow = ({ task: { icon, text, to, isUrgent = false }, children }: TaskRowProps) => (
  <li className="flex flex-wrap items-center justify-end">
    <Link
      to={to}
      className="flex min-h-11 min-w-0 flex-1 items-start gap-2.5 px-4 py-2.5 text-base text-content hover:bg-hover focus-visible:-outline-offset-2"
    >
      <span aria-hidden className={`mt-0.5 ${isUrgent ? 'text-warning' : 'text-muted'} [&_svg]:size-4`}>
        {icon}
      </span>
      <span className={`figures min-w-0 ${isUrgent ? 'font-medium text-warning' : ''}`}>{text}</span>
    </Link>
    {children}
  </li>
);
