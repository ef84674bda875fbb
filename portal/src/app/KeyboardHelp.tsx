import { useSession } from '../api/session.tsx';
import { useOfferedActions, useOfferedKeys, type PageKey } from '../components/page-actions.tsx';
import { t } from '../language/t.ts';
import { Dialog, DialogBody } from '../ui/Dialog.tsx';
import { Kbd } from '../ui/Badge.tsx';
import { destinationsFor } from './destinations.ts';
import { keyName, modifierKey } from './keyboard.ts';

/** The list of keys: the portal's own, and those of the current page. */
export const KeyboardHelp = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { isAdmin } = useSession();
  const actions = useOfferedActions();
  const offered = useOfferedKeys();
  const pageKeys = actions.flatMap(({ label, key }): PageKey[] =>
    key === undefined ? [] : [{ label, keys: [keyName(key)] }],
  );
  const groups = [
    { title: t`This page`, lines: [...pageKeys, ...offered] },
    {
      title: t`Everywhere`,
      lines: [
        { label: t`Search or run a command`, keys: [modifierKey(), 'K'] },
        { label: t`Show keyboard shortcuts`, keys: ['?'] },
        { label: t`Close the dialog`, keys: ['Esc'] },
        { label: t`Save a form`, keys: ['Enter'] },
      ],
    },
    { title: t`Go to`, lines: destinationsFor(isAdmin).map(({ label, key }) => ({ label, keys: ['g', key] })) },
  ];
  return (
    <Dialog open={open} onClose={onClose} title={t`Keyboard shortcuts`}>
      <DialogBody isText className="gap-5">
        {groups
          .filter(({ lines }) => lines.length > 0)
          .map(({ title, lines }) => (
            <section key={title} aria-label={title}>
              <h3 className="label-mono pb-1">{title}</h3>
              <dl className="divide-y divide-stroke">
                {lines.map(({ label, keys }) => (
                  <div key={label} className="flex h-9 items-center justify-between">
                    <dt>{label}</dt>
                    <dd className="flex gap-1">
                      {keys.map((key) => (
                        <Kbd key={key}>{key}</Kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </DialogBody>
    </Dialog>
  );
};
