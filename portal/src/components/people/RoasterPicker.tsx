import { listRoasters, type Roaster, setRoaster } from '@roastery/contract/roasters';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { Check, KeyRound, UserRound } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { ApiError, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh, useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog, DialogBody } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/TextField.tsx';

const keyOf = (machineId: string): string => `roasters:${machineId}`;
const maxRemembered = 6;

const remembered = (machineId: string): string[] =>
  (localStorage.getItem(keyOf(machineId)) ?? '').split(',').filter((id) => id !== '');

/** Notes on this device who was chosen at a machine, newest first. */
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

interface RoasterPickerProps {
  machineId: string;
  /** Named by the running roast; null between batches. */
  roastedBy: string | null;
}

/** Who stands at the machine: one tap opens the list, a second one changes the running roast and the next ones. */
export const RoasterPicker = ({ machineId, roastedBy }: RoasterPickerProps) => {
  const [isOpen, setOpen] = useState(false);
  const { data } = useApi(listRoasters, { params: { id: machineId } });
  const name = roastedBy ?? data?.current?.full_name ?? null;
  return (
    <>
      <Button
        size="lg"
        className="max-w-56 px-3"
        icon={<UserRound aria-hidden />}
        aria-label={name === null ? t`Choose the roaster` : t`Roasted by ${name}: change`}
        onClick={() => setOpen(true)}
      >
        <span className="truncate text-base max-sm:hidden">{name ?? t`Roaster`}</span>
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t`Who is roasting?`}>
        {isOpen && (
          <Choices
            machineId={machineId}
            people={data?.people ?? []}
            chosen={name}
            onDone={() => {
              setOpen(false);
              void refresh(listRoasters, listRoasts, getRoast);
            }}
          />
        )}
      </Dialog>
    </>
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
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const choose = async (person: Roaster, typed?: string) => {
    setBusy(true);
    setFailure(null);
    try {
      const body = { user_id: person.user_id, ...(typed === undefined ? {} : { pin: typed }) };
      await call(setRoaster, { params: { id: machineId }, body });
      rememberRoaster(machineId, person.user_id);
      onDone();
    } catch (error) {
      setPin('');
      const [field] = error instanceof ApiError ? error.fields : [];
      setFailure(field?.message ?? sentenceFor(error, t`The roaster could not be changed`));
    }
    setBusy(false);
  };
  if (asked !== null) {
    const submit = (event: SubmitEvent<HTMLFormElement>) => {
      event.preventDefault();
      void choose(asked, pin);
    };
    return (
      <form noValidate onSubmit={submit}>
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
            <Button type="submit" kind="primary" size="lg" busy={busy} className="flex-1">
              {t`Continue`}
            </Button>
            <Button size="lg" onClick={() => setAsked(null)}>
              {t`Back`}
            </Button>
          </div>
        </DialogBody>
      </form>
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
              disabled={busy}
              aria-pressed={person.full_name === chosen}
              onClick={() => {
                setFailure(null);
                if (person.has_pin && person.user_id !== own.id) setAsked(person);
                else void choose(person);
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
