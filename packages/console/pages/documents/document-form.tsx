import type { Document, DocumentChange } from '@gatehouse/client';
import { useRef, useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { changesOf, mergeChanges } from '../../app/forms/changes.ts';
import { useAction } from '../../app/loading.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { MetadataEditor } from '../../components/metadata/metadata-editor.tsx';
import { readRows, toRows } from '../../components/metadata/metadata-rows.ts';
import { t } from '../../translations/translate.ts';

export interface DocumentFormProps {
  readonly document: Document;
  readonly onSaved: () => void;
}

/** The title, address and metadata of a document. */
export function DocumentForm({ document, onSaved }: DocumentFormProps) {
  const [title, setTitle] = useState(document.title);
  const [url, setUrl] = useState(document.url ?? '');
  const [rows, setRows] = useState(() => toRows(document.metadata));
  const read = readRows(rows);
  const base = useRef(document);
  const save = useAction(async () => {
    if (!read.ok) return;
    const change = await changeOf(base.current, {
      title: title.trim() === '' ? null : title,
      url: url.trim() === '' ? null : url.trim(),
      metadata: read.metadata,
    });
    if (Object.keys(change).length > 0) {
      const { id, spaceId } = document;
      const saved = await client.documents.update(id, change, { spaceId });
      base.current = saved;
      setTitle(saved.title);
      setUrl(saved.url ?? '');
      setRows(toRows(saved.metadata));
      onSaved();
    }
  });
  return (
    <section aria-labelledby="properties">
      <h2 id="properties">{t('Properties')}</h2>
      <Form
        action={save}
        submit={t('Save')}
        isBlocked={!read.ok}
        draft={{ title, url, rows }}
        done={t('Saved. The change applies to all links immediately.')}
      >
        <Field
          label={t('Title')}
          member="title"
          hint={t('The title in citations. Empty: the title in the file, or else the file name.')}
          maxLength={500}
          value={title}
          onValue={setTitle}
        />
        <Field
          label={t('Address that citations link to')}
          member="url"
          maxLength={2000}
          value={url}
          onValue={setUrl}
        />
        <MetadataEditor
          spaceId={document.spaceId}
          label={t('Metadata')}
          member="metadata"
          hint={t('The filters of links use metadata to decide who sees this document.')}
          rows={rows}
          onRows={(next) => setRows([...next])}
        />
      </Form>
    </section>
  );
}

type Draft = Pick<Document, 'url' | 'metadata'> & { readonly title: string | null };

/**
 * Returns only what the user has changed since the form was loaded: metadata decides who sees the document, and somebody else may have
 * changed it. An unchanged title may come from the file, which may change.
 */
async function changeOf(base: Document, draft: Draft): Promise<DocumentChange> {
  const { title, url, metadata } = base;
  const { metadata: changed, ...change } = changesOf<Draft>({ title, url, metadata }, draft);
  if (changed === undefined) return change;
  const current = await client.documents.get(base.id, { spaceId: base.spaceId });
  return { ...change, metadata: mergeChanges(current.metadata, metadata, draft.metadata) };
}
