import { Hash } from 'lucide-react';
import { useNavigate } from 'react-router-dom';
import { t } from '../language/t.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { Tabs } from '../ui/Tabs.tsx';
import { paths } from './paths.ts';

const tabs = [
  { value: 'roasts', label: t`Roasts` },
  { value: 'blends', label: t`Post-roast blends` },
] as const;

const addresses = { roasts: paths.roasts, blends: paths.blends };

/** The lists under Roasts, each with its own address, and the link to the batch numbers. */
export const RoastTabs = ({ value }: { value: (typeof tabs)[number]['value'] }) => {
  const navigate = useNavigate();
  return (
    <div className="flex items-center gap-4 pb-4">
      <div className="min-w-0 flex-1">
        <Tabs label={t`Roasts`} tabs={tabs} value={value} onChange={(next) => void navigate(addresses[next])} />
      </div>
      <ButtonLink to={paths.batchNumbers} size="sm" icon={<Hash aria-hidden />}>
        {t`Batch numbers`}
      </ButtonLink>
    </div>
  );
};
