import type { Device } from '@roastery/contract/fleet';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import { filesText } from './device-texts.ts';

const stateLabels = {
  sent: { label: t`Imported`, tone: 'success' },
  waiting: { label: t`Waiting`, tone: 'neutral' },
  refused: { label: t`Refused`, tone: 'warning' },
} as const;

/** The newest files of a computer with Artisan, with the reasons of refused ones. */
export const ArtisanFilesDialog = ({ device, onClose }: { device: Device | null; onClose: () => void }) => {
  const files = device?.source?.files ?? null;
  return (
    <Dialog
      open={files !== null}
      onClose={onClose}
      title={t`Artisan files`}
      description={device?.display_name}
      width="md"
    >
      {device !== null && files !== null && (
        <>
          <DialogBody>
            <p className="text-sm text-content">{filesText(device)}</p>
            {files.trouble !== null && (
              <p className="text-sm text-warning">{t`Files can’t be imported now: ${files.trouble}`}</p>
            )}
            <ul className="flex flex-col divide-y divide-stroke">
              {files.newest.map(({ name, state, reason }) => (
                <li
                  key={`${state} ${name}`}
                  className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1 py-2 text-sm"
                >
                  <span className="flex min-w-0 flex-col">
                    <span className="font-medium wrap-anywhere text-strong">{name}</span>
                    {reason !== undefined && <span className="text-pretty text-muted">{reason}</span>}
                  </span>
                  {state === 'sent' && reason !== undefined ? (
                    <Badge tone="warning">{t`Imported, to check`}</Badge>
                  ) : (
                    <Badge tone={stateLabels[state].tone}>{stateLabels[state].label}</Badge>
                  )}
                </li>
              ))}
            </ul>
            <p className="text-sm text-muted">
              {t`A refused file stays on its computer. Save it again in Artisan to retry.`}
            </p>
          </DialogBody>
          <DialogFooter>
            <Button size="md" onClick={onClose}>
              {t`Close`}
            </Button>
          </DialogFooter>
        </>
      )}
    </Dialog>
  );
};
