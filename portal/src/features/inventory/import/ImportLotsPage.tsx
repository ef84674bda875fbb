import { createLotImport, getLotImport, listLotImports, type LotImport } from '@roastery/contract/lot-imports';
import { maxUploadBytes } from '@roastery/contract/imports';
import { ApiError, sentenceFor } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { refresh, useApi } from '../../../api/use-api.ts';
import { Unread } from '../../../components/ErrorState.tsx';
import { FileDrop } from '../../../components/FileDrop.tsx';
import { useAction } from '../../../components/use-action.ts';
import { FormError } from '../../../components/form/FormError.tsx';
import { Page, PageHeader } from '../../../components/PageHeader.tsx';
import { useUrlState } from '../../../components/url-state.ts';
import { formatBytes, formatCount } from '../../../format/numbers.ts';
import { useDates } from '../../../format/preferences.ts';
import { t } from '../../../language/t.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card, Panel } from '../../../ui/Card.tsx';
import { lotCrumbs } from '../lots.ts';
import { LotImportReview } from './LotImportReview.tsx';

/** /inventory/lots/import: reads, checks and imports a list of lots. The id of the import is in the address. */
export default function ImportLotsPage() {
  const { read, change } = useUrlState();
  const id = read('import');
  return (
    <Page wide={id !== undefined}>
      <PageHeader title={t`Import lots`} crumbs={lotCrumbs(t`Import`)} />
      {id === undefined ? (
        <ChooseList onRead={(next) => change({ import: next })} />
      ) : (
        <OneImport
          key={id}
          id={id}
          onLeave={() => change({ import: undefined, problem: undefined, q: undefined, sort: undefined })}
        />
      )}
    </Page>
  );
}

const failureOf = (error: unknown): string =>
  error instanceof ApiError && error.fields.length > 0
    ? error.fields.map(({ message }) => message).join('\n')
    : sentenceFor(error, t`The file could not be read`);

const ChooseList = ({ onRead }: { onRead: (id: string) => void }) => {
  const { run, isBusy, failure, setFailure } = useAction({ beside: true });
  const send = (file: File) => {
    if (file.size > maxUploadBytes)
      return setFailure(t`${file.name} is larger than ${formatBytes(maxUploadBytes)}. Split it into several files.`);
    void run(async () => {
      const { id } = await call(createLotImport, { query: { file_name: file.name.slice(-200) }, file });
      await refresh(listLotImports);
      onRead(id);
    }, failureOf);
  };
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4">
      <FileDrop
        label={t`List of lots`}
        accept=".csv,.tsv,.txt,.xlsx,.xls,text/csv"
        busy={isBusy}
        onFile={send}
        className="py-10"
      >
        <span className="text-base font-medium text-strong">{t`Choose a list of lots or drop it here`}</span>
        <span className="text-sm text-muted">
          {t`CSV, XLSX or XLS, from any program. You assign the columns and check the rows before anything is imported.`}
        </span>
      </FileDrop>
      <FormError text={failure} />
      <EarlierImports onOpen={onRead} />
    </div>
  );
};

/** Unfinished imports, and those that can be undone. */
const EarlierImports = ({ onOpen }: { onOpen: (id: string) => void }) => {
  const { data } = useApi(listLotImports, {});
  const dates = useDates();
  if (data === undefined || data.imports.length === 0) return null;
  return (
    <Panel title={t`Imports of lots`}>
      <ul className="divide-y divide-stroke">
        {data.imports.map((one) => (
          <li key={one.id} className="flex flex-wrap items-center justify-between gap-3 px-4 py-2 text-sm">
            <span className="figures min-w-0 text-content">
              {t`${dates.dayAndTime(one.created_at)} · ${one.file_name} · ${formatCount(one.rows)} rows · ${formatCount(one.imported)} imported`}
            </span>
            <Button onClick={() => onOpen(one.id)}>{one.state === 'open' ? t`Continue` : t`Show`}</Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
};

/** How often a running import is read again. */
const everyMs = 1000;
const isAtWork = (one: LotImport | undefined): boolean => one?.state === 'importing' || one?.state === 'undoing';

const OneImport = ({ id, onLeave }: { id: string; onLeave: () => void }) => {
  const { data, error, mutate } = useApi(
    getLotImport,
    { params: { id } },
    { refreshInterval: (latest) => (isAtWork(latest) ? everyMs : 0) },
  );
  if (data !== undefined) {
    return (
      <LotImportReview
        import={data}
        isAtWork={isAtWork(data)}
        onChanged={(next) => void (next === undefined ? mutate() : mutate(next, { revalidate: false }))}
        onLeave={onLeave}
      />
    );
  }
  return (
    <Card>
      <Unread skeleton="m-4 h-72" title={t`The import was not found`} error={error} onRetry={onLeave} />
    </Card>
  );
};
