import {
  deleteRoastImport,
  listRoastImports,
  startRoastImport,
  undoRoastImport,
  type RoastImport,
} from '@roastery/contract/roast-imports';
import { listRoasts } from '@roastery/contract/roasts';
import { call } from '../../../api/call.ts';
import { forgetFilesOfImport } from '../../../api/kept-files.ts';
import { useSession } from '../../../api/session.tsx';
import { refresh } from '../../../api/use-api.ts';
import { ImportProgress } from '../../../components/ImportProgress.tsx';
import { paths } from '../../../components/paths.ts';
import { formatCount } from '../../../format/numbers.ts';
import { t } from '../../../language/t.ts';
import { ButtonLink } from '../../../ui/Button.tsx';
import type { useSending } from './use-sending.ts';

interface ImportStepsProps {
  import: RoastImport;
  sending: ReturnType<typeof useSending>;
  /** The last corrections are being sent. */
  isSaving: boolean;
  onChanged: (next: RoastImport) => Promise<void>;
  onLeave: () => void;
}

const headlineOf = (one: RoastImport, { sending, busy }: ReturnType<typeof useSending>): string => {
  if (busy && sending.total === 0) return t`Unpacking the files`;
  if (busy) return t`Sending ${formatCount(sending.sent)} of ${formatCount(sending.total)} files`;
  if (one.waiting > 0) return t`Reading: ${formatCount(one.waiting)} files to go`;
  if (one.state === 'open') return t`${formatCount(one.ready)} of ${formatCount(one.files)} files can be imported`;
  if (one.state === 'importing') {
    return t`Importing: ${formatCount(one.imported)} done, ${formatCount(one.ready)} to go`;
  }
  if (one.state === 'done') return t`${formatCount(one.imported)} roasts imported`;
  if (one.state === 'undoing') return t`Deleting: ${formatCount(one.imported)} to go`;
  return t`Undone: ${formatCount(one.undone)} roasts deleted`;
};

const shareOf = (one: RoastImport, { sending, busy }: ReturnType<typeof useSending>): number | undefined => {
  if (busy) return sending.total === 0 ? 0 : sending.sent / sending.total;
  if (one.waiting > 0) return 1 - one.waiting / Math.max(1, one.files);
  if (one.state === 'importing') return one.imported / Math.max(1, one.imported + one.ready);
  if (one.state === 'undoing') return one.undone / Math.max(1, one.undone + one.imported);
  return undefined;
};

/** The progress of an import of roasts, and the next step. */
export const ImportSteps = ({ import: one, sending, isSaving, onChanged, onLeave }: ImportStepsProps) => {
  const params = { id: one.id };
  const { user } = useSession();
  const show = async (next: RoastImport) => {
    await onChanged(next);
    await refresh(listRoasts, listRoastImports);
  };
  return (
    <ImportProgress
      import={one}
      headline={headlineOf(one, sending)}
      share={shareOf(one, sending)}
      startLabel={one.ready === 1 ? t`Import 1 roast` : t`Import ${formatCount(one.ready)} roasts`}
      sendingNote={
        !sending.busy
          ? undefined
          : sending.isKept
            ? t`Files are sent while this page is open. If you reload it, sending continues.`
            : t`This browser has no space for the files. Keep this page open until all of them are sent.`
      }
      canStart={!sending.busy && !isSaving && one.waiting === 0}
      onStart={async () => show(await call(startRoastImport, { params }))}
      undoQuestion={t`Delete the ${formatCount(one.imported)} roasts of this import? Their green weight returns to the lots.`}
      undoLabel={t`Delete roasts`}
      onUndo={async () => show(await call(undoRoastImport, { params }))}
      onDelete={async () => {
        await call(deleteRoastImport, { params });
        if (user !== null) await forgetFilesOfImport({ userId: user.id, importId: one.id });
        await refresh(listRoastImports);
        onLeave();
      }}
      onLeave={onLeave}
      result={<ButtonLink kind="primary" to={paths.roasts}>{t`Show roasts`}</ButtonLink>}
    />
  );
};
