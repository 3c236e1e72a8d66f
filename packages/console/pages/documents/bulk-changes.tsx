import { ApiError, type Document } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client, toProblem } from '../../app/client.ts';
import { useLeaveWarning } from '../../app/forms/leave-warning.ts';
import { submits } from '../../app/forms/submits.ts';
import { useUnsaved } from '../../app/forms/unsaved.ts';
import { useAction } from '../../app/loading.ts';
import { Confirm } from '../../components/confirm.tsx';
import { MetadataEditor } from '../../components/metadata/metadata-editor.tsx';
import {
  type Metadata,
  type MetadataRow,
  newRow,
  readRows,
} from '../../components/metadata/metadata-rows.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { plural, t } from '../../translations/translate.ts';

export interface BulkChangesProps {
  readonly spaceId: string;
  /** The selected documents. */
  readonly documents: readonly Document[];
  readonly onClear: () => void;
  readonly onDeleted: (document: Document) => void;
  /** Called when documents have changed. */
  readonly onChange: () => void;
}

/** Result per document: `null`, or the reason why it was not changed. */
type Results = ReadonlyMap<string, { readonly document: Document; readonly reason: string | null }>;

/** Changes of all selected documents, with the progress and the result of each. */
export function BulkChanges({
  spaceId,
  documents,
  onClear,
  onDeleted,
  onChange,
}: BulkChangesProps) {
  const [mode, setMode] = useState<'metadata' | 'delete' | null>(null);
  const [results, setResults] = useState<Results>(new Map());
  const [total, setTotal] = useState(0);
  const note = (document: Document, reason: string | null) =>
    setResults((all) => new Map(all).set(document.id, { document, reason }));

  async function start(work: () => Promise<void>) {
    setResults(new Map());
    setTotal(documents.length);
    setMode(null);
    await work();
    onChange();
  }
  const changeEach = (change: (document: Document) => Promise<unknown>) =>
    start(async () => {
      for (const document of documents)
        await change(document).then(
          () => note(document, null),
          (error: unknown) => note(document, toProblem(error).text),
        );
    });
  const running = useAction((work: () => Promise<void>) => work());
  useLeaveWarning(running.isRunning);
  const ask = (next: 'metadata' | 'delete') => {
    if (!running.isRunning) setMode(next);
  };
  if (documents.length === 0 && results.size === 0) return null;
  return (
    <section class="bulk" aria-label={t('Selected documents')}>
      {documents.length > 0 && (
        <div class="actions">
          <strong role="status">
            {plural(documents.length, '{count} selected', '{count} selected')}
          </strong>
          <button
            type="button"
            class="small"
            aria-disabled={running.isRunning}
            onClick={() => ask('metadata')}
          >
            {t('Change metadata')}
          </button>
          <button
            type="button"
            class="small"
            aria-disabled={running.isRunning}
            onClick={() =>
              void running.run(() =>
                changeEach(({ id }) => client.documents.retry(id, { spaceId, force: true })),
              )
            }
          >
            {t('Index again')}
          </button>
          <button
            type="button"
            class="small danger"
            aria-disabled={running.isRunning}
            onClick={() => ask('delete')}
          >
            {t('Delete')}
          </button>
          <button type="button" class="small plain" onClick={onClear}>
            {t('Clear the selection')}
          </button>
        </div>
      )}
      {mode === 'metadata' && (
        <BulkMetadata
          spaceId={spaceId}
          isRunning={running.isRunning}
          onCancel={() => setMode(null)}
          onApply={(metadata) =>
            void running.run(() => start(() => changeMetadata(spaceId, documents, metadata, note)))
          }
        />
      )}
      {mode === 'delete' && (
        <Confirm
          title={plural(documents.length, 'Delete {count} document?', 'Delete {count} documents?')}
          action={t('Delete')}
          perform={async () => {
            // The dialog closes. The progress is shown below the buttons.
            void running.run(() =>
              changeEach(async (document) => {
                await client.documents.delete(document.id, { spaceId }).catch(ignoreDeleted);
                onDeleted(document);
              }),
            );
          }}
          onClose={() => setMode(null)}
        >
          {t('The assistant will no longer find these documents. This cannot be undone.')}
        </Confirm>
      )}
      {running.problem && <ProblemNote problem={running.problem} />}
      {results.size > 0 && (
        <ResultList results={results} total={total} onClose={() => setResults(new Map())} />
      )}
    </section>
  );
}

/** Ignores that somebody else has already deleted the document. */
function ignoreDeleted(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'knowledge.not-found')) throw error;
}

/**
 * Changes all documents in one request, so that they change at the same time. If some documents no longer exist, changes the others.
 */
async function changeMetadata(
  spaceId: string,
  documents: readonly Document[],
  metadata: Metadata,
  note: (document: Document, reason: string | null) => void,
): Promise<void> {
  for (let left = documents; left.length > 0; ) {
    try {
      const ids = left.map(({ id }) => id);
      await client.documents.updateMany({ ids, metadata }, { spaceId });
      for (const document of left) note(document, null);
      return;
    } catch (error) {
      const missing = missingOf(error);
      if (missing.size === 0) throw error;
      for (const index of missing) {
        const document = left[index];
        if (document !== undefined) note(document, t('The document no longer exists.'));
      }
      left = left.filter((_, index) => !missing.has(index));
    }
  }
}

/** Returns the indexes of the documents that an error reports as missing. */
function missingOf(error: unknown): ReadonlySet<number> {
  if (!(error instanceof ApiError && error.status === 404)) return new Set();
  return new Set(
    error.issues.flatMap(({ message }) => {
      const [, index] = /^ids\[(\d+)\]/.exec(message) ?? [];
      return index === undefined ? [] : [Number(index)];
    }),
  );
}

interface BulkMetadataProps {
  readonly spaceId: string;
  readonly isRunning: boolean;
  readonly onApply: (metadata: Metadata) => void;
  readonly onCancel: () => void;
}

function BulkMetadata({ spaceId, isRunning, onApply, onCancel }: BulkMetadataProps) {
  const [rows, setRows] = useState<readonly MetadataRow[]>(() => [newRow()]);
  const read = readRows(rows);
  const isEmpty = read.ok && Object.keys(read.metadata).length === 0;
  useUnsaved(!isEmpty);
  return (
    <form
      onSubmit={submits(() => {
        if (read.ok) onApply(read.metadata);
      })}
    >
      <MetadataEditor
        spaceId={spaceId}
        label={t('Set in all selected documents')}
        hint={t('Other fields keep their values. The change applies to all links immediately.')}
        rows={rows}
        onRows={setRows}
      />
      <div class="actions">
        <button type="submit" class="main" disabled={!read.ok || isEmpty} aria-disabled={isRunning}>
          {t('Apply')}
        </button>
        <button type="button" class="plain" onClick={onCancel}>
          {t('Cancel')}
        </button>
      </div>
    </form>
  );
}

interface ResultListProps {
  readonly results: Results;
  readonly total: number;
  readonly onClose: () => void;
}

function ResultList({ results, total, onClose }: ResultListProps) {
  const all = [...results.values()];
  const failures = all.filter(({ reason }) => reason !== null).length;
  return (
    <div class="result">
      <div class="progress-line">
        <progress max={total} value={all.length} aria-label={t('Progress of the change')} />
        <span role="status">
          {t('{finished} of {total} finished, {failures} failed', {
            finished: all.length,
            total,
            failures,
          })}
        </span>
        <button type="button" class="small plain" onClick={onClose}>
          {t('Close')}
        </button>
      </div>
      <details open={failures > 0}>
        <summary>{t('Result of each document')}</summary>
        <ul class="uploads">
          {all.map(({ document: { id, title }, reason }) => (
            <li key={id}>
              <bdi class="name">{title}</bdi>
              {reason === null ? (
                <span class="badge good">{t('done')}</span>
              ) : (
                <span class="problem">{reason}</span>
              )}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
