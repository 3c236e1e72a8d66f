import type { Document } from '@gatehouse/client';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { hasDraft, useDraft } from '../../app/forms/drafts.ts';
import { useAction } from '../../app/loading.ts';
import { documentPath } from '../../app/paths.ts';
import { TextArea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { MetadataEditor } from '../../components/metadata/metadata-editor.tsx';
import {
  type MetadataRow,
  newRow,
  readRows,
  toRows,
} from '../../components/metadata/metadata-rows.ts';
import { t } from '../../translations/translate.ts';

export interface AnswerFormProps {
  readonly spaceId: string;
  readonly question: string;
  /** ID of a document whose metadata the form suggests. */
  readonly likeDocument?: string | undefined;
  readonly onCancel: () => void;
}

interface AnswerDraft {
  readonly text: string;
  readonly answer: string;
  readonly rows: readonly MetadataRow[];
}

const answerKey = (spaceId: string, question: string) => `answer ${spaceId} ${question}`;

/** Reports whether the user has begun to write an answer and has left the page. */
export function hasAnswerDraft(spaceId: string, question: string): boolean {
  return hasDraft(answerKey(spaceId, question));
}

/** A form that adds a document whose text is the answer to a question. */
export function AnswerForm({ spaceId, question, likeDocument, onCancel }: AnswerFormProps) {
  const key = answerKey(spaceId, question);
  const draft = useDraft<AnswerDraft>(key, () => ({
    text: question.slice(0, 1000),
    answer: '',
    rows: [newRow()],
  }));
  const [suggested, setSuggested] = useState<readonly MetadataRow[] | null>(null);
  const { text, answer } = draft.value;
  const rows = hasDraft(key) ? draft.value.rows : (suggested ?? draft.value.rows);
  const change = (changed: Partial<AnswerDraft>) =>
    draft.change({ text, answer, rows, ...changed });
  const [added, setAdded] = useState<Document | null>(null);
  const read = readRows(rows);
  useEffect(() => {
    if (likeDocument === undefined) return;
    client.documents.get(likeDocument, { spaceId }).then(
      ({ metadata }) => setSuggested([...toRows(metadata), newRow()]),
      () => {}, // The metadata is only a suggestion.
    );
  }, [likeDocument]);
  const add = useAction(async () => {
    if (!read.ok) return;
    const { metadata } = read;
    setAdded(
      await client.spaceConversations.addAnswer({ question: text, answer, metadata }, { spaceId }),
    );
    draft.forget();
  });
  if (added !== null)
    return (
      <p class="actions" role="status">
        <span class="badge good">{t('added')}</span>
        {t('The assistant uses the answer as soon as it is indexed.')}
        <a href={documentPath(spaceId, added.id)}>{t('Open the document')}</a>
      </p>
    );
  const isEmpty = read.ok && Object.keys(read.metadata).length === 0;
  return (
    <Form
      class="answer-form"
      action={add}
      submit={t('Add the answer')}
      isBlocked={!read.ok}
      more={
        <button
          type="button"
          class="plain"
          onClick={() => {
            draft.forget();
            onCancel();
          }}
        >
          {t('Cancel')}
        </button>
      }
    >
      <TextArea
        required
        label={t('Question')}
        member="question"
        rows={2}
        maxLength={1000}
        value={text}
        onValue={(text) => change({ text })}
      />
      <TextArea
        required
        label={t('Answer (Markdown)')}
        member="answer"
        rows={5}
        maxLength={20_000}
        value={answer}
        onValue={(answer) => change({ answer })}
      />
      <MetadataEditor
        spaceId={spaceId}
        label={t('Metadata')}
        member="metadata"
        hint={t(
          'Metadata decides which links show the answer. Use the metadata of documents about the same subject.',
        )}
        rows={rows}
        onRows={(rows) => change({ rows })}
      />
      {isEmpty && (
        <p class="warning">
          {t('Without metadata, only links whose filters permit such documents show the answer.')}
        </p>
      )}
    </Form>
  );
}
