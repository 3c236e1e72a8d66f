import type { Document } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import type { Query } from '../../app/early.ts';
import { LongFilter } from '../../app/forms/long-filter.tsx';
import { useFilter, useQueryDraft } from '../../app/forms/query-draft.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { documentPath, documentSearchPath, documentsPath, withQuery } from '../../app/paths.ts';
import { mayEdit } from '../../app/rights.ts';
import { Field, Select } from '../../components/field.tsx';
import { List } from '../../components/list.tsx';
import { MetadataSummary } from '../../components/metadata/metadata-summary.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';
import { BulkChanges } from './bulk-changes.tsx';
import { DocumentState, usePolling } from './document-state.tsx';
import { formatBytes } from './format.ts';
import { indexAgain } from './index-again.ts';
import { UploadArea } from './upload-area.tsx';

const STATES = ['processing', 'ready', 'failed'] as const;
/** Maximum number of documents that one request can change. */
const MAX_SELECTED = 1000;
type Selection = ReadonlyMap<string, Document>;

/** The page of documents that an address names. */
export function sourceOf(spaceId: string, query: Query) {
  const { search = '', after } = query;
  const state = STATES.find((one) => one === query['state']);
  const filter = {
    order: orderOf(query) ?? ('newest' as const),
    ...(search === '' ? {} : { search }),
    ...(state === undefined ? {} : { state }),
    ...(after ? { after } : {}),
  };
  return {
    key: `documents ${spaceId} ${JSON.stringify(filter)}`,
    load: () => client.documents.list(filter, { spaceId }),
  };
}

/** Returns the order in an address. Undefined: newest first. */
function orderOf({ order }: Query): 'oldest' | undefined {
  return order === 'oldest' ? order : undefined;
}

/** The documents of a space, filtered by state and text, and a place to add more. */
export function DocumentsPage() {
  const { spaceId = '' } = useRoute().params;
  const { query } = useLocation();
  const { search = '', after } = query;
  const state = STATES.find((one) => one === query['state']);
  const order = orderOf(query);
  const [text, setText] = useQueryDraft(search);
  const [selected, setSelected] = useState<Selection>(new Map());
  const path = documentsPath(spaceId);
  const filter = useFilter(path);
  const { key, load } = sourceOf(spaceId, query);
  const page = useLoaded(key, load);
  const items = page.data?.items ?? [];
  usePolling(
    items.some((document) => document.state === 'processing'),
    page.reload,
  );
  const select = (documents: readonly Document[], isSelected: boolean) =>
    setSelected((selected) => {
      const next = new Map(selected);
      for (const document of documents)
        if (!isSelected) next.delete(document.id);
        else if (next.size < MAX_SELECTED) next.set(document.id, document);
      return next;
    });
  const isAllSelected = items.length > 0 && items.every(({ id }) => selected.has(id));
  return (
    <>
      <div class="title">
        <h1>{t('Documents')}</h1>
        <a class="button" href={documentSearchPath(spaceId)}>
          {t('Search in the texts')}
        </a>
      </div>
      {mayEdit.value && <UploadArea spaceId={spaceId} onChange={page.reload} />}
      <LongFilter
        isSet={[search, state, order].some(Boolean)}
        onFilter={() => filter({ search: text, state, order })}
      >
        <Field
          label={t('Name or metadata contains')}
          type="search"
          maxLength={200}
          value={text}
          onValue={setText}
        />
        <Select
          label={t('State')}
          options={[
            ['', t('All states')],
            ['processing', t('Being indexed')],
            ['ready', t('Ready')],
            ['failed', t('Failed')],
          ]}
          value={state ?? ''}
          onValue={(value) => filter({ search: text, state: value, order })}
        />
        <Select
          label={t('Added')}
          options={[
            ['', t('Newest first')],
            ['oldest', t('Oldest first')],
          ]}
          value={order ?? ''}
          onValue={(value) => filter({ search: text, state, order: value })}
        />
      </LongFilter>
      {mayEdit.value && items.length > 0 && (
        <button type="button" class="plain" onClick={() => select(items, !isAllSelected)}>
          {isAllSelected ? t('Select none of this page') : t('Select all of this page')}
        </button>
      )}
      <BulkChanges
        spaceId={spaceId}
        documents={[...selected.values()]}
        onClear={() => setSelected(new Map())}
        onDeleted={(document) => select([document], false)}
        onChange={page.reload}
      />
      <List
        caption={t('Documents')}
        columns={[t('Title'), t('State'), t('Metadata'), t('Size'), t('Changed')]}
        page={page}
        path={path}
        query={{ search, state, order, after }}
        keyOf={({ id }) => id}
        row={(document) => (
          <>
            <td>
              <span class="select">
                {mayEdit.value && (
                  <input
                    type="checkbox"
                    aria-label={t('Select {name}', { name: document.title })}
                    checked={selected.has(document.id)}
                    onChange={({ currentTarget }) => select([document], currentTarget.checked)}
                  />
                )}
                <span>
                  <a href={documentPath(spaceId, document.id)}>
                    <bdi>{document.title}</bdi>
                  </a>
                  {document.title !== document.fileName && (
                    <span class="hint block">
                      <bdi>{document.fileName}</bdi>
                    </span>
                  )}
                </span>
              </span>
            </td>
            <td>
              <DocumentState document={document} />
              {mayEdit.value && <Retry document={document} onChanged={page.reload} />}
            </td>
            <td>
              <MetadataSummary metadata={document.metadata} />
            </td>
            <td class="number">{formatBytes(document.bytes)}</td>
            <td>
              <Time at={document.updatedAt} />
            </td>
          </>
        )}
        empty={
          search === '' && state === undefined ? (
            <p>
              {mayEdit.value
                ? t(
                    'The assistant answers from documents. Drop files on the area above, or let your backend upload and synchronise them.',
                  )
                : t('The assistant answers from documents. This space has no document yet.')}
            </p>
          ) : (
            <p>
              {t('No document matches.')}{' '}
              <a href={withQuery(path, { order })}>{t('Show all documents')}</a>
            </p>
          )
        }
      />
    </>
  );
}

interface RetryProps {
  readonly document: Document;
  readonly onChanged: () => void;
}

/** A button that indexes a failed document again. The problem stays while the document is being indexed. */
function Retry({ document, onChanged }: RetryProps) {
  const { state, title } = document;
  const retry = useAction(() => indexAgain(document, onChanged));
  if (state === 'ready') return null;
  return (
    <>
      {state === 'failed' && (
        <button
          type="button"
          class="small"
          aria-disabled={retry.isRunning}
          onClick={() => void retry.run()}
        >
          {t('Index again')} <span class="visually-hidden">{title}</span>
        </button>
      )}
      {retry.problem && <ProblemNote problem={retry.problem} />}
    </>
  );
}
