import type { Document } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
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
  const [isSaved, setSaved] = useState(false);
  const read = readRows(rows);
  const save = useAction(async () => {
    if (!read.ok) return;
    const change = {
      metadata: read.metadata,
      url: url.trim() === '' ? null : url.trim(),
      // An unchanged title may come from the file, which may change.
      ...(title === document.title ? {} : { title: title.trim() === '' ? null : title }),
    };
    const saved = await client.documents.update(document.id, change, {
      spaceId: document.spaceId,
    });
    setTitle(saved.title);
    setSaved(true);
    onSaved();
  });
  const edit =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      setSaved(false);
      set(value);
    };
  return (
    <section aria-labelledby="properties">
      <h2 id="properties">{t('Properties')}</h2>
      <Form
        action={save}
        submit={t('Save')}
        isBlocked={!read.ok}
        note={isSaved && t('Saved. The change applies to all links immediately.')}
      >
        <Field
          label={t('Title')}
          hint={t('The title in citations. Empty: the title in the file, or else the file name.')}
          maxLength={500}
          value={title}
          onValue={edit(setTitle)}
        />
        <Field
          label={t('Address that citations link to')}
          maxLength={2000}
          value={url}
          onValue={edit(setUrl)}
        />
        <MetadataEditor
          spaceId={document.spaceId}
          label={t('Metadata')}
          hint={t('The filters of links use metadata to decide who sees this document.')}
          rows={rows}
          onRows={edit((next) => setRows([...next]))}
        />
      </Form>
    </section>
  );
}
