import type { ComponentProps, ReactNode } from 'react';
import { t } from '../../language/t.ts';
import { TextField } from '../../ui/TextField.tsx';

interface SectionProps {
  title: string;
  text: string;
  children: ReactNode;
}

/** A part of the account: its description at the left, its controls at the right. */
export const Section = ({ title, text, children }: SectionProps) => (
  <section aria-label={title} className="grid gap-x-10 gap-y-4 py-6 lg:grid-cols-[16rem_minmax(0,1fr)]">
    <header>
      <h2 className="text-lg font-semibold text-strong">{title}</h2>
      <p className="mt-0.5 text-sm text-muted">{text}</p>
    </header>
    <div className="min-w-0">{children}</div>
  </section>
);

/** The current password that confirms a change. */
export const CurrentPasswordField = (props: Omit<ComponentProps<typeof TextField>, 'label'>) => (
  <TextField label={t`Current password`} type="password" required autoComplete="current-password" {...props} />
);
