import { useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLeaveWarning } from '../../app/forms/leave-warning.ts';
import { useNextPage } from '../../app/forms/next-page.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { documentPath, documentsPath } from '../../app/paths.ts';
import { mayEdit } from '../../app/rights.ts';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { DownloadLink } from '../../components/download-link.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem, ProblemNote } from '../../components/problem-note.tsx';
import { Time } from '../../components/times/time.tsx';
import { plural, t } from '../../translations/translate.ts';
import { DocumentForm } from './document-form.tsx';
import { DocumentState, usePolling } from './document-state.tsx';
import { formatBytes } from './format.ts';
import { indexAgain } from './index-again.ts';
import { LinksOfDocument } from './links-of-document.tsx';
import { Passages } from './passages.tsx';
import { replaceDocument } from './replace-document.ts';
import { Versions } from './versions.tsx';

/** One document: its state, metadata and passages, and the links that show it. */
export function DocumentPage() {
  const { spaceId = '', documentId = '' } = useRoute().params;
  const openNext = useNextPage();
  const [isDeleting, setDeleting] = useState(false);
  const {
    data: document,
    problem,
    reload,
  } = useLoaded(documentId, () => client.documents.get(documentId, { spaceId }));
  usePolling(document?.state === 'processing', reload);
  const retry = useAction(async () => {
    if (document !== undefined) await indexAgain(document, reload);
  });
  if (problem !== null) return <PageProblem problem={problem} />;
  if (document === undefined) return <LoadingNote />;
  const { title, fileName, state, passages, key, url } = document;
  return (
    <>
      <p>
        <a href={documentsPath(spaceId)}>{t('Documents')}</a>
      </p>
      <div class="title">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        {mayEdit.value && state !== 'processing' && (
          <button type="button" aria-disabled={retry.isRunning} onClick={() => void retry.run()}>
            {t('Index again')}
          </button>
        )}
        <DownloadLink href={`/spaces/${spaceId}/documents/${documentId}/content`}>
          {t('Download')}
        </DownloadLink>
        {mayEdit.value && (
          <button type="button" class="danger" onClick={() => setDeleting(true)}>
            {t('Delete')}
          </button>
        )}
      </div>
      {retry.problem && state !== 'ready' && <ProblemNote problem={retry.problem} />}
      {isDeleting && (
        <Confirm
          title={t('Delete this document?')}
          action={t('Delete')}
          perform={async () => {
            await client.documents.delete(documentId, { spaceId });
            openNext(documentsPath(spaceId));
          }}
          onClose={() => setDeleting(false)}
        >
          {t('The assistant will no longer find this document. This cannot be undone.')}
        </Confirm>
      )}
      <dl>
        <dt>{t('State')}</dt>
        <dd>
          <DocumentState document={document} />{' '}
          {state === 'ready' && plural(passages, '{count} passage', '{count} passages')}
        </dd>
        <dt>{t('File')}</dt>
        <dd>
          <bdi>{fileName}</bdi>{' '}
          <span class="hint">
            {document.mimeType}, {formatBytes(document.bytes)}
            {document.language !== null && `, ${document.language}`}
          </span>
        </dd>
        {key !== null && (
          <>
            <dt>{t('Key')}</dt>
            <dd>
              <code>{key}</code>
            </dd>
          </>
        )}
        {url !== null && (
          <>
            <dt>{t('Address')}</dt>
            <dd>
              <a href={url} rel="noreferrer" target="_blank">
                <bdi>{url}</bdi>
              </a>
            </dd>
          </>
        )}
        <dt>{t('Added')}</dt>
        <dd>
          <Time at={document.createdAt} />
        </dd>
        <dt>{t('Changed')}</dt>
        <dd>
          <Time at={document.updatedAt} />
        </dd>
      </dl>
      {mayEdit.value ? (
        <>
          <Replace
            key={documentId}
            replace={async (file) => {
              const replaced = await replaceDocument(document, file, {});
              if (!replaced.ok) return replaced.reason;
              if (replaced.document.id === documentId) reload();
              else openNext(documentPath(spaceId, replaced.document.id));
              return null;
            }}
          />
          <DocumentForm key={`form ${documentId}`} document={document} onSaved={reload} />
          <Versions document={document} onRestored={reload} />
          <LinksOfDocument document={document} />
        </>
      ) : (
        <Code name={t('Metadata')} text={JSON.stringify(document.metadata, null, 2)} />
      )}
      <Passages document={document} />
    </>
  );
}

interface ReplaceProps {
  /** Returns null, or the reason why the document was not replaced. */
  readonly replace: (file: File) => Promise<string | null>;
}

function Replace({ replace }: ReplaceProps) {
  const input = useRef<HTMLInputElement>(null);
  const [reason, setReason] = useState<string | null>(null);
  const replacing = useAction(async (file: File) => {
    setReason(null);
    setReason(await replace(file));
  });
  useLeaveWarning(replacing.isRunning);
  return (
    <>
      <div class="actions">
        <button
          type="button"
          aria-disabled={replacing.isRunning}
          onClick={() => !replacing.isRunning && input.current?.click()}
        >
          {replacing.isRunning ? t('Replacing…') : t('Replace the file')}
        </button>
        <span class="hint">{t('The metadata, the address and a title that was set stay.')}</span>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={t('New file')}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void replacing.run(file);
            currentTarget.value = '';
          }}
        />
      </div>
      {replacing.problem && <ProblemNote problem={replacing.problem} />}
      {reason !== null && <ProblemNote problem={{ text: reason, details: [] }} />}
    </>
  );
}
