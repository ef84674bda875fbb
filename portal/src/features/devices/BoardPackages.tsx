import {
  getBoardPackages,
  installCommand,
  installSteps,
  type PackageRepository,
} from '@roastery/contract/board-packages';
import { PackageX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { CommandLine } from '../../components/CommandLine.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';

const anyTicket = 'PAIR-XXXX-XXXX-XXXX';

/** As `gpg` shows it: ten groups of four. */
const inGroups = (fingerprint: string): string => fingerprint.replaceAll(/(.{4})(?!$)/g, '$1 ');

/** Software for boards on this server: its version, the key that signs it, and how to install it. */
export const BoardPackages = () => {
  const { data, error, mutate } = useApi(getBoardPackages, {});
  if (error !== undefined)
    return <ErrorLine title={t`The software could not be loaded`} error={error} onRetry={() => void mutate()} />;
  if (data === undefined) return null;
  if (data.repository === null) {
    return (
      <Card>
        <EmptyState icon={<PackageX aria-hidden />} title={t`No software for boards on this server`}>
          {t`The server administrator adds it: npm run release builds it, deploy/README.md says where to put it.`}
        </EmptyState>
      </Card>
    );
  }
  return <Repository repository={data.repository} portalUrl={data.portal_url} />;
};

const Repository = ({ repository, portalUrl }: { repository: PackageRepository; portalUrl: string }) => {
  const architectures = repository.packages
    .filter(({ name }) => name === 'roastery-agent')
    .map((each) => each.architecture);
  return (
    <>
      <Card>
        <dl className="grid gap-3 p-4 text-base">
          <Fact label={t`Version`}>{repository.version}</Fact>
          <Fact label={t`Boards`}>{architectures.join(', ')}</Fact>
          <Fact label={t`Key fingerprint`}>
            {repository.fingerprints.map((fingerprint) => (
              <code key={fingerprint} data-testid="fingerprint" className="block font-mono text-sm wrap-anywhere">
                {inGroups(fingerprint)}
              </code>
            ))}
          </Fact>
        </dl>
      </Card>
      <section className="flex flex-col gap-2">
        <h2 className="text-base font-semibold text-strong">{t`On the board`}</h2>
        <p className="text-sm text-muted">
          {t`Installs the agent and pairs the board. Replace ${anyTicket} with the machine’s ticket.`}
        </p>
        <CommandLine command={installCommand(portalUrl, anyTicket)} label={t`Copy installation command`} />
      </section>
      <section className="flex flex-col gap-2">
        <h2 className="text-base font-semibold text-strong">{t`The same step by step`}</h2>
        <p className="text-sm text-muted">{t`The second command shows a fingerprint. It must match the one above.`}</p>
        <CommandLine command={installSteps(portalUrl, anyTicket).join('\n')} label={t`Copy all commands`} />
      </section>
    </>
  );
};

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="flex flex-wrap gap-x-4">
    <dt className="w-48 text-muted">{label}</dt>
    <dd className="min-w-0 text-strong">{children}</dd>
  </div>
);
