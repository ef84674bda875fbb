import { useNavigate } from 'react-router-dom';
import { t } from '../language/t.ts';
import { Tabs } from '../ui/Tabs.tsx';
import { paths } from './paths.ts';

const tabs = [
  { value: 'roasts', label: t`Roasts` },
  { value: 'blends', label: t`Post-roast blends` },
  { value: 'numbers', label: t`Batch numbers` },
] as const;

const addresses = { roasts: paths.roasts, blends: paths.blends, numbers: paths.batchNumbers };

/** The lists under Roasts, each with its own address. */
export const RoastTabs = ({ value }: { value: (typeof tabs)[number]['value'] }) => {
  const navigate = useNavigate();
  return (
    <div className="pb-4">
      <Tabs label={t`Roasts`} tabs={tabs} value={value} onChange={(next) => void navigate(addresses[next])} />
    </div>
  );
};
