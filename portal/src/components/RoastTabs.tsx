import { useNavigate } from 'react-router-dom';
import { Tabs } from '../ui/Tabs.tsx';
import { paths } from './paths.ts';

const tabs = [
  { value: 'roasts', label: 'Roasts' },
  { value: 'blends', label: 'Post-roast blends' },
] as const;

/** The two lists under Roasts, each with its own address. */
export const RoastTabs = ({ value }: { value: (typeof tabs)[number]['value'] }) => {
  const navigate = useNavigate();
  return (
    <div className="pb-4">
      <Tabs
        label="Roasts"
        tabs={tabs}
        value={value}
        onChange={(next) => void navigate(next === 'blends' ? paths.blends : paths.roasts)}
      />
    </div>
  );
};
