import { createWallLink, listWallLinks, revokeWallLink, type WallLink } from '@roastery/contract/wall';
import { TvMinimal } from 'lucide-react';
import { useState } from 'react';
import type { Resolver } from 'react-hook-form';
import { Link } from 'react-router-dom';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { attempt } from '../../components/attempt.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { FormFrame } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { SecretDialog } from './SecretDialog.tsx';

const revoke = ({ id, name }: WallLink) =>
  attempt(
    async () => {
      await call(revokeWallLink, { params: { id } });
      toast(t`${name} was revoked`);
    },
    t`The link could not be revoked`,
    [listWallLinks],
  );

/** Links that open the wall on a screen without an account; each can be revoked on its own. */
export const WallLinks = () => {
  const { data, error, mutate } = useApi(listWallLinks, {});
  const [made, setMade] = useState<{ name: string; address: string } | null>(null);
  const [revoked, setRevoked] = useState<WallLink | null>(null);
  return (
    <>
      <p className="text-base text-muted">
        {t`The ${(
          <Link to={paths.wall} className="rounded-sm text-accent-text underline underline-offset-2">{t`wall`}</Link>
        )} shows every machine at once. A link opens it on a television without an account, and nothing else.`}
      </p>
      <NewLink onMade={setMade} />
      <ErrorLine title={t`The links could not be loaded`} error={error} onRetry={() => void mutate()} />
      {data?.links.length === 0 && (
        <Card>
          <EmptyState icon={<TvMinimal aria-hidden />} title={t`No wall links`}>
            {t`Create one for each screen, so that each can be revoked on its own.`}
          </EmptyState>
        </Card>
      )}
      {data !== undefined && data.links.length > 0 && (
        <Card>
          <ul className="divide-y divide-stroke">
            {data.links.map((link) => (
              <li key={link.id} className="flex min-h-14 items-center justify-between gap-3 px-4 py-2">
                <div className="min-w-0">
                  <p className="truncate text-base font-medium text-strong">{link.name}</p>
                  <p className="text-sm text-muted">
                    {link.last_opened_at === null
                      ? t`Never opened`
                      : t`Opened ${<RelativeTime moment={link.last_opened_at} />}`}
                    {link.created_by !== '' && ` · ${t`created by ${link.created_by}`}`}
                  </p>
                </div>
                <Button aria-label={t`Revoke ${link.name}`} onClick={() => setRevoked(link)}>
                  {t`Revoke`}
                </Button>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <ConfirmDialog
        thing={revoked}
        onClose={() => setRevoked(null)}
        title={() => t`Revoke wall link`}
        question={({ name }) => t`The screens of ${name} go dark at once. Other links stay.`}
        confirmLabel={t`Revoke`}
        onConfirm={revoke}
      />
      <MadeLink made={made} onDone={() => setMade(null)} />
    </>
  );
};

const resolver: Resolver<{ name: string }, unknown, { name: string }> = ({ name }) =>
  name.trim() === ''
    ? { values: {}, errors: { name: { type: 'required', message: t`Enter a name` } } }
    : { values: { name: name.trim() }, errors: {} };

const NewLink = ({ onMade }: { onMade: (made: { name: string; address: string }) => void }) => {
  const form = useRecordForm({
    values: { name: '' },
    resolver,
    fields: ['name'],
    failure: (error, isBesideFields) => (isBesideFields ? null : sentenceFor(error, t`The link could not be created`)),
    save: async (body) => ({ ...body, ...(await call(createWallLink, { body })) }),
    saved: async ({ name, token }, { startAnew }) => {
      startAnew();
      await refresh(listWallLinks);
      onMade({ name, address: `${location.origin}${paths.wallLink(token)}` });
    },
  });
  return (
    <FormFrame of={form} className="flex flex-wrap items-end gap-3">
      <TextField
        label={t`Name of the screen`}
        placeholder={t`Roasting room`}
        maxLength={80}
        className="w-72 max-sm:w-full"
        {...form.field('name')}
      />
      <Button type="submit" kind="primary" size="md" busy={form.isSubmitting}>
        {t`Create link`}
      </Button>
      <FormError text={form.failure} />
    </FormFrame>
  );
};

/** The address, shown once. */
const MadeLink = ({ made, onDone }: { made: { name: string; address: string } | null; onDone: () => void }) => (
  <SecretDialog
    title={t`Wall link`}
    name={made?.name}
    question={{ title: t`Close the link of ${made?.name ?? ''}?`, text: t`The link will not be shown again.` }}
    text={t`Open this address once on the screen and bookmark it there. It is shown only now.`}
    secret={made?.address ?? null}
    label={t`Copy wall link`}
    testId="wall-link"
    onDone={onDone}
  />
);
