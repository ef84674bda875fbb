import { listRoasters, type Roaster, setRoaster } from '@roastery/contract/roasters';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { ArrowLeftRight, Check, KeyRound, UserRound } from 'lucide-react';
import { useState } from 'react';
import { ApiError, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh, useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog, DialogBody } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { useAction } from '../use-action.ts';
import { FormFrame } from '../form/RecordForm.tsx';

const keyOf = (machineId: string): string => `roasters:${machineId}`;
const maxRemembered = 6;

const remembered = (machineId: string): string[] =>
  (localStorage.getItem(keyOf(machineId)) ?? '').split(',').filter((id) => id !== '');

/** Stores on this device who was chosen at a machine, newest first. */
const rememberRoaster = (machineId: string, userId: string): void => {
  const ids = [userId, ...remembered(machineId).filter((id) => id !== userId)].slice(0, maxRemembered);
  localStorage.setItem(keyOf(machineId), ids.join(','));
};

/** Those who were chosen on this device first, the newest choice at the top. */
const firstOnDevice = (machineId: string, people: readonly Roaster[]): Roaster[] => {
  const ids = remembered(machineId);
  const rank = ({ user_id: id }: Roaster) => (ids.includes(id) ? ids.indexOf(id) : maxRemembered);
  return [...people].sort((one, other) => rank(one) - rank(other));
};

/** The last other person chosen on this device, if a single tap can select them. */
const lastOther = (machineId: string, people: readonly Roaster[], name: string | null, ownId: string) => {
  const ids = remembered(machineId);
  const other = firstOnDevice(machineId, people).find((person) => person.full_name !== name);
  if (other === undefined || !ids.includes(other.user_id)) return null;
  return other.has_pin && other.user_id !== ownId ? null : other;
};

/** @throws {ApiError} when the PIN is missing or wrong, or the server is unreachable */
const nameRoaster = async (machineId: string, person: Roaster, pin?: string): Promise<void> => {
  const body = { user_id: person.user_id, ...(pin === undefined ? {} : { pin }) };
  await call(setRoaster, { params: { id: machineId }, body });
  rememberRoaster(machineId, person.user_id);
};

const changeFailed = t`The roaster could not be changed`;

const refreshNames = () => refresh(listRoasters, listRoasts, getRoast);

interface RoasterPickerProps {
  machineId: string;
  /** The roaster of the running roast; null between batches. */
  roastedBy: string | null;
  /** Whether a phone has a row for both buttons; without it, it has the list only. */
  hasRow?: boolean;
}

/** Below 768 px both buttons share a row of their own. */
const rowButton = 'max-md:h-14 max-md:min-w-0 max-md:flex-1 max-md:justify-start max-md:border-stroke-strong';

/**
 * The roaster at the machine, for the running roast and the next ones: chosen from a list, or with one tap for the
 * person chosen on this device before.
 */
export const RoasterPicker = ({ machineId, roastedBy, hasRow = false }: RoasterPickerProps) => {
  const [isOpen, setOpen] = useState(false);
  const { data } = useApi(listRoasters, { params: { id: machineId } });
  const own = useUser();
  const { run, isBusy } = useAction();
  const name = roastedBy ?? data?.current?.full_name ?? null;
  const other = lastOther(machineId, data?.people ?? [], name, own.id);
  const changeTo = async (person: Roaster) => {
    await nameRoaster(machineId, person);
    await refreshNames();
  };
  const isRow = hasRow && other !== null;
  return (
    <div
      data-row={isRow || undefined}
      className={classes(
        'flex items-center gap-2',
        isRow && 'max-md:order-last max-md:w-full max-md:pb-1.5 max-md:pl-1',
      )}
    >
      <Button
        size="lg"
        className={classes('px-3', isRow ? classes(rowButton, 'md:max-w-56') : 'max-w-56')}
        icon={<UserRound aria-hidden />}
        aria-label={name === null ? t`Choose the roaster` : t`Roasted by ${name}: change`}
        onClick={() => setOpen(true)}
      >
        <span className={classes('truncate text-base', !isRow && 'max-sm:hidden')}>{name ?? t`Roaster`}</span>
      </Button>
      {other !== null && (
        <Button
          kind="quiet"
          size="lg"
          busy={isBusy}
          className={classes('h-14 px-3 md:max-w-40', isRow ? rowButton : 'max-md:hidden')}
          icon={<ArrowLeftRight aria-hidden />}
          aria-label={t`Change the roaster to ${other.full_name}`}
          onClick={() => void run(() => changeTo(other), changeFailed)}
        >
          <span className="truncate text-base md:hidden">{other.full_name}</span>
          <span className="truncate text-base max-md:hidden">{other.full_name.split(' ')[0]}</span>
        </Button>
      )}
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t`Who is roasting?`}>
        {isOpen && (
          <Choices
            machineId={machineId}
            people={data?.people ?? []}
            chosen={name}
            onDone={() => {
              setOpen(false);
              void refreshNames();
            }}
          />
        )}
      </Dialog>
    </div>
  );
};

interface ChoicesProps {
  machineId: string;
  people: readonly Roaster[];
  chosen: string | null;
  onDone: () => void;
}

const Choices = ({ machineId, people, chosen, onDone }: ChoicesProps) => {
  const own = useUser();
  const [asked, setAsked] = useState<Roaster | null>(null);
  const [pin, setPin] = useState('');
  const { run, isBusy, failure, setFailure } = useAction({ beside: true });
  const choose = (person: Roaster, typed?: string) => {
    const work = async () => {
      await nameRoaster(machineId, person, typed);
      onDone();
    };
    void run(work, (error) => {
      setPin('');
      const [field] = error instanceof ApiError ? error.fields : [];
      return field?.message ?? sentenceFor(error, changeFailed);
    });
  };
  if (asked !== null) {
    return (
      <FormFrame of={{ submit: () => choose(asked, pin), isDirty: false }} className="contents">
        <DialogBody>
          <TextField
            label={t`PIN of ${asked.full_name}`}
            type="password"
            inputMode="numeric"
            autoComplete="off"
            maxLength={12}
            value={pin}
            onChange={(event) => setPin(event.target.value)}
            error={failure ?? undefined}
          />
          <div className="flex gap-2">
            <Button type="submit" kind="primary" size="lg" busy={isBusy} className="flex-1">
              {t`Continue`}
            </Button>
            <Button size="lg" onClick={() => setAsked(null)}>
              {t`Back`}
            </Button>
          </div>
        </DialogBody>
      </FormFrame>
    );
  }
  return (
    <DialogBody>
      {failure !== null && (
        <p role="alert" className="text-sm text-danger">
          {failure}
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {firstOnDevice(machineId, people).map((person) => (
          <li key={person.user_id}>
            <button
              type="button"
              disabled={isBusy}
              aria-pressed={person.full_name === chosen}
              onClick={() => {
                setFailure(null);
                if (person.has_pin && person.user_id !== own.id) setAsked(person);
                else choose(person);
              }}
              className={classes(
                'flex min-h-14 w-full items-center gap-3 rounded-md border px-4 text-left text-lg text-strong hover:bg-hover',
                person.full_name === chosen ? 'border-accent bg-accent-soft' : 'border-stroke-strong',
              )}
            >
              <span className="min-w-0 flex-1 truncate">{person.full_name}</span>
              {person.has_pin && person.user_id !== own.id && <KeyRound aria-label={t`with PIN`} className="size-4" />}
              {person.full_name === chosen && <Check aria-hidden className="size-5 text-accent-text" />}
            </button>
          </li>
        ))}
      </ul>
    </DialogBody>
  );
};
