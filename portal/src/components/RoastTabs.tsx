import { useNavigate } from 'react-router-dom';
import { t } from '../language/t.ts';
import { Tabs } from '../ui/Tabs.tsx';
import { paths } from './paths.ts';

const tabs = [
  { value: 'roasts', label: t`Roasts` },
  { value: 'blends', label: t`Post-roast blends` },
] as const;

/** The two lists under Roasts, each with its own address. */
export const RoastTabs = ({ value }: { value: (typeof tabs)[number]['value'] }) => {
  const navigate = useNavigate();
  return (
    <div className="pb-4">
      <Tabs
        label={t`Roasts`}
        tabs={tabs}
        value={value}
        onChange={(next) => void navigate(next === 'blends' ? paths.blends : paths.roasts)}
      />
    </div>
  );
};
