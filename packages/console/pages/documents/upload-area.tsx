import { useRef, useState } from 'preact/hooks';
import { documentPath } from '../../app/paths.ts';
import { MetadataEditor } from '../../components/metadata/metadata-editor.tsx';
import { type MetadataRow, newRow, readRows } from '../../components/metadata/metadata-rows.ts';
import { rich, t } from '../../translations/translate.ts';
import { formatBytes } from './format.ts';
import { isFinished, isUnderway, type Upload, type Uploads, useUploads } from './uploads.ts';
import { useFileDrop, useLeaveWarning } from './use-file-drop.ts';

export interface UploadAreaProps {
  readonly spaceId: string;
  /** Called when a document was added or replaced. */
  readonly onChange: () => void;
}

/** File extensions that the service can index. */
const FORMATS = '.txt,.md,.markdown,.html,.htm,.csv,.json,.pdf,.docx';

/** Accepts dropped and chosen files, and shows the progress and result of each. Files can be dropped anywhere on the page. */
export function UploadArea({ spaceId, onChange }: UploadAreaProps) {
  const uploads = useUploads(spaceId, onChange);
  const [rows, setRows] = useState<readonly MetadataRow[]>(() => [newRow()]);
  const input = useRef<HTMLInputElement>(null);
  const read = readRows(rows);
  const add = (files: FileList | null | undefined) => {
    if (read.ok) uploads.add([...(files ?? [])], read.metadata);
  };
  const isOver = useFileDrop(add);
  useLeaveWarning(uploads.items.some(({ state }) => isUnderway(state)));
  return (
    <section aria-label={t('Add documents')} class="upload">
      <div class={isOver ? 'drop over' : 'drop'}>
        <p>{t('Drop files here, or')}</p>
        <button type="button" disabled={!read.ok} onClick={() => input.current?.click()}>
          {t('Choose files')}
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          accept={FORMATS}
          aria-label={t('Files')}
          onChange={({ currentTarget }) => {
            add(currentTarget.files);
            // Choosing the same file again must fire the event again.
            currentTarget.value = '';
          }}
        />
        <p class="hint">
          {t('PDF, DOCX, HTML, Markdown, CSV, JSON or plain text, up to 25 MB each')}
        </p>
      </div>
      <details>
        <summary>{t('Metadata for the next files')}</summary>
        <MetadataEditor
          spaceId={spaceId}
          label={t('Metadata for the next files')}
          hint={t('The filters of links use metadata to decide who sees a document.')}
          rows={rows}
          onRows={setRows}
        />
      </details>
      <UploadList spaceId={spaceId} uploads={uploads} />
    </section>
  );
}

function UploadList({ spaceId, uploads }: { readonly spaceId: string; readonly uploads: Uploads }) {
  const { items } = uploads;
  if (items.length === 0) return null;
  const finished = items.filter(({ state }) => isFinished(state)).length;
  const asking = items.filter(({ state }) => state.name === 'asking');
  const answerAll = (choice: 'replace' | 'both') => {
    for (const upload of asking) uploads.choose(upload, choice);
  };
  return (
    <div class="result">
      <div class="progress-line">
        <progress max={items.length} value={finished} aria-label={t('Progress of all files')} />
        <span role="status">
          {t('{finished} of {count} finished', { finished, count: items.length })}
        </span>
        {asking.length > 1 && (
          <>
            <button type="button" class="small" onClick={() => answerAll('replace')}>
              {t('Replace all')}
            </button>
            <button type="button" class="small" onClick={() => answerAll('both')}>
              {t('Keep both for all')}
            </button>
          </>
        )}
        {finished > 0 && (
          <button type="button" class="small plain" onClick={uploads.clear}>
            {t('Clear finished')}
          </button>
        )}
      </div>
      <ul class="uploads" aria-label={t('Files')}>
        {items.map((upload) => (
          <li key={upload.id}>
            <span class="name">
              <bdi>{upload.file.name}</bdi>{' '}
              <span class="hint">{formatBytes(upload.file.size)}</span>
            </span>
            <State spaceId={spaceId} upload={upload} uploads={uploads} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface StateProps {
  readonly spaceId: string;
  readonly upload: Upload;
  readonly uploads: Uploads;
}

function State({ spaceId, upload, uploads }: StateProps) {
  const { state, file } = upload;
  const named = <span class="visually-hidden">{file.name}</span>;
  switch (state.name) {
    case 'waiting':
      return <span class="hint">{t('waiting')}</span>;
    case 'sending':
      return (
        <progress
          max={1}
          value={state.share}
          aria-label={t('Progress of {name}', { name: file.name })}
        />
      );
    case 'asking':
      return (
        <span class="actions">
          <span class="warning">{t('A document with this name exists.')}</span>
          <button type="button" class="small" onClick={() => uploads.choose(upload, 'replace')}>
            {t('Replace')} {named}
          </button>
          <button type="button" class="small" onClick={() => uploads.choose(upload, 'both')}>
            {t('Keep both')} {named}
          </button>
          <button type="button" class="small plain" onClick={() => uploads.skip(upload)}>
            {t('Skip')} {named}
          </button>
        </span>
      );
    case 'done':
      return (
        <span>
          <span class="badge good">{describe[state.result]()}</span>{' '}
          <a href={documentPath(spaceId, state.document.id)}>
            {rich('Open {name}', { name: <bdi>{state.document.fileName}</bdi> })}
          </a>
        </span>
      );
    case 'failed':
      return (
        <span class="actions">
          <span class="problem">{state.reason}</span>
          <button type="button" class="small" onClick={() => uploads.retry(upload)}>
            {t('Try again')} {named}
          </button>
        </span>
      );
  }
}

const describe = {
  added: () => t('added'),
  replaced: () => t('replaced'),
  unchanged: () => t('unchanged'),
} as const;
