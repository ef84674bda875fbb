import { adjustLot, getLot, type Lot } from '@roastery/contract/inventory';
import { useState } from 'react';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { FormError } from '../../components/forms.tsx';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/Dialog.tsx';
import { SuggestField } from '../../ui/SuggestField.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { NumberField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { refreshLots } from './lot-refresh.ts';
import { kgText } from './lot-texts.ts';
import { changeProblem, weightChange, type AdjustMode } from './weight-change.ts';

interface AdjustWeightDialogProps {
  lot: Lot;
  open: boolean;
  onClose: () => void;
}

const usualReasons = [
  'Stock count',
  'Sample roast',
  'Spillage',
  'Delivered later',
  'Returned to supplier',
  'Sold green',
];

/** Brings the weight in line with the scale; the ledger keeps by how much, who and why. */
export const AdjustWeightDialog = ({ lot, open, onClose }: AdjustWeightDialogProps) => (
  <Dialog
    open={open}
    onClose={onClose}
    title="Adjust weight"
    description={`${lot.lot_number} ${lot.coffee_name}, ${kgText(lot.current_weight)} kg in stock`}
  >
    {open && <AdjustForm lot={lot} onClose={onClose} />}
  </Dialog>
);

const AdjustForm = ({ lot, onClose }: { lot: Lot; onClose: () => void }) => {
  const [mode, setMode] = useState<AdjustMode>('weighed');
  const [entered, setEntered] = useState('');
  const [note, setNote] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const kg = weightChange(mode, entered, lot.current_weight);
  const problem = changeProblem(kg);

  const save = async () => {
    setTried(true);
    if (kg === null || problem !== null || note.trim() === '') return;
    setBusy(true);
    setFailure(null);
    try {
      // What the scale shows is set against the stock: a roast that ended meanwhile must not be undone by it.
      const { current_weight: stock } = await call(getLot, { params: { id: lot.id } });
      if (stock !== lot.current_weight) {
        await refreshLots();
        setFailure(`The stock has changed meanwhile: it is ${kgText(stock)} kg now. Look again and save.`);
        return;
      }
      const { current_weight: now } = await call(adjustLot, { params: { id: lot.id }, body: { kg, note } });
      await refreshLots();
      toast(`${lot.lot_number} now holds ${kgText(now)} kg`);
      onClose();
    } catch (error) {
      setFailure(sentenceWithFields(error, 'Failed to adjust the weight'));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <UnsavedChanges dirty={entered !== '' || note !== ''} />
      <DialogBody>
        <Tabs
          label="How the weight is entered"
          tabs={[
            { value: 'weighed', label: 'Weighed now' },
            { value: 'change', label: 'Added or taken' },
          ]}
          value={mode}
          onChange={(next) => {
            setMode(next);
            setEntered('');
            setTried(false);
          }}
        />
        <NumberField
          label={mode === 'weighed' ? 'Weight now' : 'Change'}
          hint={mode === 'weighed' ? 'What the scale shows.' : 'More with a plain number, less with a minus: -2.5.'}
          unit="kg"
          required
          step={0.1}
          // Some phones offer no minus on the decimal keyboard.
          inputMode={mode === 'change' ? 'text' : 'decimal'}
          value={entered}
          onChange={(event) => setEntered(event.target.value)}
          error={tried && problem !== null ? problem : undefined}
        />
        <SuggestField
          label="Reason"
          required
          suggestions={usualReasons}
          value={note}
          onChange={setNote}
          maxLength={500}
          placeholder="Why does the weight change?"
          error={tried && note.trim() === '' ? 'Say why the weight changes' : undefined}
        />
        <p aria-live="polite" className="figures min-h-5 text-sm text-muted">
          {kg !== null && problem === null && (
            <>
              {kgText(lot.current_weight)} kg {kg > 0 ? '+' : '−'} {kgText(Math.abs(kg))} kg ={' '}
              <strong className="font-semibold text-strong">{kgText(lot.current_weight + kg)} kg</strong>
            </>
          )}
        </p>
        <FormError text={failure} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel />
        <Button type="submit" kind="primary" busy={busy}>
          Adjust weight
        </Button>
      </DialogFooter>
    </form>
  );
};
