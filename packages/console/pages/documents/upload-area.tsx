import { useRef, useState } from 'preact/hooks';
import { documentPath } from '../../app/paths.ts';
import { MetadataEditor } from '../../components/metadata/metadata-editor.tsx';
import { type MetadataRow, newRow, readRows } from '../../components/metadata/metadata-rows.ts';
import { rich, t } from '../../translations/translate.ts';
import { DocumentState } from './document-state.tsx';
import { formatBytes } from './format.ts';
import {
  addUploads,
  chooseUpload,
  clearUploads,
  isFinished,
  removeUpload,
  startUpload,
  type Upload,
  useUploads,
} from './uploads.ts';
import { useFileDrop } from './use-file-drop.ts';

export interface UploadAreaProps {
  readonly spaceId: string;
  /** Called when a document was added, replaced or indexed. */
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
    if (read.ok) addUploads(spaceId, [...(files ?? [])], read.metadata);
  };
  const isOver = useFileDrop(add);
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

interface UploadListProps {
  readonly spaceId: string;
  readonly uploads: readonly Upload[];
}

function UploadList({ spaceId, uploads }: UploadListProps) {
  if (uploads.length === 0) return null;
  const total = uploads.length;
  const finished = uploads.filter(({ state }) => isFinished(state)).length;
  const failures = uploads.filter(hasFailed).length;
  const asking = uploads.filter(({ state }) => state.name === 'asking');
  const answerAll = (choice: 'replace' | 'both') => {
    for (const upload of asking) chooseUpload(upload, choice);
  };
  return (
    <div class="result">
      <div class="progress-line">
        <progress max={total} value={finished} aria-label={t('Progress of all files')} />
        <span role="status">
          {failures === 0
            ? t('{finished} of {count} finished', { finished, count: total })
            : t('{finished} of {total} finished, {failures} failed', { finished, total, failures })}
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
          <button type="button" class="small plain" onClick={() => clearUploads(spaceId)}>
            {t('Clear finished')}
          </button>
        )}
      </div>
      <ul class="uploads" aria-label={t('Files')}>
        {uploads.map((upload) => (
          <li key={upload.id}>
            <span class="name">
              <bdi>{upload.file.name}</bdi>{' '}
              <span class="hint">{formatBytes(upload.file.size)}</span>
            </span>
            <State upload={upload} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Reports whether the upload has failed, or the service could not read the file afterwards. */
function hasFailed({ state }: Upload): boolean {
  return state.name === 'failed' || (state.name === 'done' && state.document.state === 'failed');
}

function State({ upload }: { readonly upload: Upload }) {
  const { state, spaceId, file } = upload;
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
          <button type="button" class="small" onClick={() => chooseUpload(upload, 'replace')}>
            {t('Replace')} {named}
          </button>
          <button type="button" class="small" onClick={() => chooseUpload(upload, 'both')}>
            {t('Keep both')} {named}
          </button>
          <button type="button" class="small plain" onClick={() => removeUpload(upload)}>
            {t('Skip')} {named}
          </button>
        </span>
      );
    case 'done':
      return (
        <span>
          {state.document.state !== 'failed' && (
            <span class="badge good">{describe[state.result]()}</span>
          )}{' '}
          <a href={documentPath(spaceId, state.document.id)}>
            {rich('Open {name}', { name: <bdi>{state.document.fileName}</bdi> })}
          </a>{' '}
          {state.document.state !== 'ready' && <DocumentState document={state.document} />}
        </span>
      );
    case 'failed':
      return (
        <span class="actions">
          <span class="problem">{state.reason}</span>
          <button type="button" class="small" onClick={() => startUpload(upload)}>
            {t('Try again')} {named}
          </button>
          <button type="button" class="small plain" onClick={() => removeUpload(upload)}>
            {t('Skip')} {named}
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
