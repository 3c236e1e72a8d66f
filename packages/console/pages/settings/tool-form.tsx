import type { NewTool, Tool, ToolChange } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useChanges } from '../../app/forms/changes.ts';
import { useAction } from '../../app/loading.ts';
import { Field, TextArea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { t } from '../../translations/translate.ts';

const EXAMPLE_NAME = 'cancel_order';
const EXAMPLE_URL = 'https://shop.example/tools/cancel-order';
const EXAMPLE_SCHEMA: NewTool['inputSchema'] = {
  type: 'object',
  properties: { order: { type: 'string' } },
  required: ['order'],
  additionalProperties: false,
};
const SECRET_BYTES = 32;

export interface ToolFormProps {
  /** Omitted: a new tool. */
  readonly tool?: Tool;
  readonly action: string;
  readonly perform: (change: ToolChange) => Promise<void>;
}

/** The form of a tool. The secret is not part of it. */
export function ToolForm({ tool, action, perform }: ToolFormProps) {
  const [name, setName] = useState(tool?.name ?? '');
  const [title, setTitle] = useState(tool?.title ?? '');
  const [description, setDescription] = useState(tool?.description ?? '');
  const [url, setUrl] = useState(tool?.url ?? '');
  const [schemaText, setSchemaText] = useState(() =>
    JSON.stringify(tool?.inputSchema ?? EXAMPLE_SCHEMA, null, 2),
  );
  const [consent, setConsent] = useState(tool?.consent ?? true);
  const inputSchema = readObject(schemaText);
  const draft = {
    name,
    title: title.trim() === '' ? null : title,
    description,
    url: url.trim() === '' ? null : url,
    consent,
    ...(inputSchema === null ? {} : { inputSchema }),
  };
  const change = useChanges(draft, perform);
  const save = useAction(tool === undefined ? () => perform(draft) : change);
  return (
    <Form
      action={save}
      submit={action}
      isBlocked={inputSchema === null}
      draft={{ ...draft, schemaText }}
      done={t('Saved')}
    >
      <Field
        label={t('Name')}
        member="name"
        hint={t('The model uses this name. Lower-case letters, digits and underscores.')}
        required
        maxLength={64}
        pattern="[a-z][a-z0-9_]*"
        placeholder={EXAMPLE_NAME}
        value={name}
        onValue={setName}
      />
      <Field
        label={t('Title')}
        member="title"
        hint={t('The chat shows it to people.')}
        maxLength={100}
        value={title}
        onValue={setTitle}
      />
      <TextArea
        label={t('Description')}
        member="description"
        hint={t('Tells the model what the tool does and when to use it.')}
        rows={2}
        required
        maxLength={1000}
        value={description}
        onValue={setDescription}
      />
      <Field
        label={t('URL')}
        member="url"
        hint={t(
          'Receives each call with POST, signed with the secret of the tool. Empty: each call becomes an event of the space.',
        )}
        maxLength={2000}
        placeholder={EXAMPLE_URL}
        value={url}
        onValue={setUrl}
      />
      <TextArea
        label={t('Arguments (JSON Schema)')}
        member="inputSchema"
        hint={inputSchema === null ? t('This is not a JSON object.') : undefined}
        rows={8}
        isCode
        value={schemaText}
        onValue={setSchemaText}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={consent}
          onChange={({ currentTarget }) => setConsent(currentTarget.checked)}
        />{' '}
        {t('The person must allow each call in the chat')}
      </label>
    </Form>
  );
}

function readObject(text: string): NewTool['inputSchema'] | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as NewTool['inputSchema'])
      : null;
  } catch {
    return null;
  }
}

/** Returns a random signing secret in the format of Standard Webhooks. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
