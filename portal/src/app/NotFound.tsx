import { Compass } from 'lucide-react';
import { Page, PageHeader } from '../components/PageHeader.tsx';
import { EmptyState } from '../components/EmptyState.tsx';
import { paths } from '../components/paths.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';

export const NotFound = () => (
  <Page>
    <PageHeader title="Page not found" />
    <Card>
      <EmptyState
        icon={<Compass />}
        title="There is no page at this address"
        action={
          <ButtonLink to={paths.dashboard} kind="primary" size="md">
            Go to the dashboard
          </ButtonLink>
        }
      >
        The link may be outdated, or its target was deleted.
      </EmptyState>
    </Card>
  </Page>
);
