import type { NewProjection, ProjectionTrial } from '@gatehouse/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useUnsaved } from '../../app/forms/unsaved.ts';
import { useAction } from '../../app/loading.ts';
import { Field, TextArea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { MetadataEditor } from '../../components/metadata/metadata-editor.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import { type Draft, fieldNames, readDraft } from './draft.ts';
import { PairEditor } from './pair-editor.tsx';
import { Trial } from './trial.tsx';
import './projections.css';

export interface ProjectionFormProps {
  readonly spaceId: string;
  readonly initial: Draft;
  /** Text of the button that saves the definition. */
  readonly submit: string;
  readonly save: (definition: NewProjection) => Promise<void>;
  /** The effect of saving, shown above the buttons. */
  readonly effect?: ComponentChildren;
}

const EXAMPLE = {
  types: 'example.order.*',
  deletedBy: 'example.order.deleted',
  pointer: '/status',
  title: 'Order {key}',
  text: 'Order {key} is {status}.',
} as const;

/** The form of a definition. The definition can be saved only after a trial on the last hundred events. */
export function ProjectionForm({ spaceId, initial, submit, save, effect }: ProjectionFormProps) {
  const [saved] = useState(initial);
  const [draft, setDraft] = useState(saved);
  const [trial, setTrial] = useState<ProjectionTrial | null>(null);
  const definition = readDraft(draft);
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(saved));
  const change = (changed: Partial<Draft>) => {
    setDraft({ ...draft, ...changed });
    setTrial(null);
  };
  const text = (name: 'name' | 'types' | 'sources' | 'deletedBy' | 'key' | 'title' | 'text') => ({
    value: draft[name],
    onValue: (value: string) => change({ [name]: value }),
  });
  const trying = useAction(async () => {
    if (definition !== null) setTrial(await client.projections.try(definition, { spaceId }));
  });
  const saving = useAction(async () => {
    if (definition !== null) await save(definition);
  });
  const names = fieldNames(draft);
  const placeholders = names.map((name) => `{${name}}`).join(' ');
  return (
    <Form
      class="alone"
      action={trying}
      submit={t('Try on the last hundred events')}
      isBlocked={definition === null}
      more={
        <button
          type="button"
          disabled={trial === null}
          aria-disabled={saving.isRunning}
          onClick={() => void saving.run()}
        >
          {submit}
        </button>
      }
      note={trial === null && t('Try the definition before you save it.')}
      result={
        <>
          {trial !== null && <Trial spaceId={spaceId} trial={trial} />}
          {saving.problem && <ProblemNote problem={saving.problem} />}
        </>
      }
    >
      <Field
        label={t('Name')}
        member="name"
        hint={t('Singular name of the records, such as Order')}
        required
        maxLength={100}
        {...text('name')}
      />
      <Field
        label={t('Types of events')}
        member="types"
        hint={t('Separate several values with spaces. A trailing asterisk matches a prefix.')}
        required
        placeholder={EXAMPLE.types}
        {...text('types')}
      />
      <Field
        label={t('Sources (empty: all)')}
        member="sources"
        hint={t('Name the sources if several systems send events to this space.')}
        {...text('sources')}
      />
      <Field
        label={t('Types of events that delete their record')}
        member="deletedBy"
        placeholder={EXAMPLE.deletedBy}
        {...text('deletedBy')}
      />
      <Field
        label={t('Key')}
        member="key"
        hint={t(
          'Identifies the record of an event: subject, or a JSON pointer into data, such as /order/id.',
        )}
        required
        maxLength={1000}
        {...text('key')}
      />
      <PairEditor
        label={t('Fields')}
        hint={t('Values of a record, each with a JSON pointer into data, such as /status.')}
        nameLabel={t('Name of field')}
        valueLabel={t('Pointer of field')}
        placeholder={EXAMPLE.pointer}
        pairs={draft.fields}
        onPairs={(fields) => change({ fields })}
      />
      <Field
        label={t('Title')}
        member="title"
        hint={t('Answers cite this title. Placeholders: {list}', { list: placeholders })}
        required
        maxLength={500}
        placeholder={EXAMPLE.title}
        {...text('title')}
      />
      <TextArea
        label={t('Text')}
        member="text"
        hint={t('Answers quote this text and the newest events of the record.')}
        rows={3}
        required
        maxLength={5000}
        placeholder={EXAMPLE.text}
        {...text('text')}
      />
      <PairEditor
        label={t('Metadata from fields')}
        hint={t('The filters of links use metadata to decide who sees a record.')}
        nameLabel={t('Name of metadata')}
        valueLabel={t('Field of metadata')}
        options={names}
        pairs={draft.metadata}
        onPairs={(metadata) => change({ metadata })}
      />
      <MetadataEditor
        spaceId={spaceId}
        label={t('Metadata that is the same for all records')}
        rows={draft.constants}
        onRows={(constants) => change({ constants })}
      />
      {definition === null && (
        <p class="warning" role="status">
          {t('A name is used twice, or a value is not valid.')}
        </p>
      )}
      {effect}
    </Form>
  );
}
