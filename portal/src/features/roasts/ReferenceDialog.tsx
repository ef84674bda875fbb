import type { Roast } from '@roastery/contract/roasts';
import { RoastField } from '../../components/RoastField.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import { nothingBehind, type Behind } from '../../components/live/use-reference.ts';

interface ReferenceDialogProps {
  roast: Roast;
  behind: Behind;
  open: boolean;
  onClose: () => void;
}

/** Choice of any roast as the reference; kept in the address, not in the recipe. */
export const ReferenceDialog = ({ roast, behind, open, onClose }: ReferenceDialogProps) => {
  const { reference, recipe, recipeRoastId, chosen, choose } = behind;
  const take = (roastId: string | undefined) => {
    choose(roastId);
    onClose();
  };
  const canClear = chosen !== nothingBehind && (reference !== undefined || chosen !== undefined);
  const canReturn = recipe !== undefined && recipeRoastId !== undefined && chosen !== undefined;
  const without = [roast.id, ...(reference === undefined ? [] : [reference.id])];
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t`Reference curve`}
      description={reference === undefined ? t`No reference is shown.` : t`${reference.name} is the reference.`}
    >
      <DialogBody>
        <RoastField
          label={t`Another roast`}
          placeholder={t`Find by number, coffee or machine`}
          without={without}
          onChoose={({ id }) => take(id)}
          size="md"
        />
      </DialogBody>
      {(canClear || canReturn) && (
        <DialogFooter>
          {canClear && (
            <Button size="md" onClick={() => take(nothingBehind)}>
              {t`No reference`}
            </Button>
          )}
          {canReturn && (
            <Button size="md" kind="primary" onClick={() => take(undefined)}>
              {t`Reference of ${recipe?.name}`}
            </Button>
          )}
        </DialogFooter>
      )}
    </Dialog>
  );
};
