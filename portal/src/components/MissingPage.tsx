import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { t } from '../language/t.ts';
import { Button, ButtonLink } from '../ui/Button.tsx';
import { EmptyState } from './EmptyState.tsx';
import { Page } from './PageHeader.tsx';
import { paths } from './paths.ts';

/** A malformed id is a record that does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 422);

interface MissingPageProps {
  icon?: ReactNode;
  title: string;
  /** Why it may be missing. */
  children?: ReactNode;
  /** The list of such records, and the label of its link. */
  to: string;
  back: string;
  /** Only where it may be there the next time. */
  onRetry?: () => void;
}

/** In place of a page whose record does not exist, or can't be read: says so, and leads to the list. */
export const MissingPage = ({
  icon = <TriangleAlert aria-hidden />,
  title,
  children,
  to,
  back,
  onRetry,
}: MissingPageProps) => (
  <Page>
    <div role="alert">
      <EmptyState
        icon={icon}
        isPage
        title={title}
        action={
          <div className="flex gap-2">
            {onRetry !== undefined && <Button onClick={onRetry}>{t`Retry`}</Button>}
            <ButtonLink to={to} kind="primary">
              {back}
            </ButtonLink>
          </div>
        }
      >
        {children ?? t`It may have been deleted, or you don’t have access to it.`}
      </EmptyState>
    </div>
  </Page>
);

/** For every page of one machine. */
export const MissingMachine = ({ icon }: { icon: ReactNode }) => (
  <MissingPage icon={icon} title={t`Machine not found`} to={paths.machines} back={t`Back to Machines`} />
);
