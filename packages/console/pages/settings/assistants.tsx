import type { Bot, BotChange, ListedBot } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useChanges } from '../../app/forms/changes.ts';
import { useAction } from '../../app/loading.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Field, TextArea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { t } from '../../translations/translate.ts';
import { type HandoffDraft, HandoffFields, toDraft, toSettings } from './handoff-fields.tsx';
import { Tools } from './tools.tsx';

export interface AssistantsProps {
  readonly spaceId: string;
  readonly bots: readonly ListedBot[];
  readonly onChange: () => void;
}

/** The assistants of a space, each with a form, and the form for a new one. */
export function Assistants({ spaceId, bots, onChange }: AssistantsProps) {
  const [deleted, setDeleted] = useState<Bot | null>(null);
  const [created, setCreated] = useState(0);
  return (
    <section aria-labelledby="assistants">
      <h2 id="assistants">{t('Assistants')}</h2>
      <p class="hint">
        {t(
          'An assistant answers the people who open a link. Links that name no assistant use the first one.',
        )}
      </p>
      {bots
        .filter(({ role }) => role !== 'viewer')
        .map((bot) => (
          <AssistantCard
            key={bot.id}
            bot={bot}
            onChange={onChange}
            {...(bot.role === 'owner' && bots.length > 1
              ? { onDelete: () => setDeleted(bot) }
              : {})}
          />
        ))}
      <details class="card">
        <summary>{t('New assistant')}</summary>
        <AssistantForm
          key={created}
          action={t('Create')}
          perform={async ({ name = '', ...change }) => {
            await client.bots.create({ name, ...change }, { spaceId });
            setCreated(created + 1);
            onChange();
          }}
        />
      </details>
      {deleted !== null && (
        <Confirm
          title={t('Delete the assistant {name}?', { name: deleted.name })}
          action={t('Delete')}
          perform={async () => {
            await client.bots.delete(deleted.id);
            onChange();
          }}
          onClose={() => setDeleted(null)}
        >
          {t('This deletes the assistant with its members and invitations. This cannot be undone.')}
        </Confirm>
      )}
    </section>
  );
}

interface AssistantCardProps {
  readonly bot: ListedBot;
  readonly onChange: () => void;
  /** Omitted: the user may not delete the assistant. */
  readonly onDelete?: () => void;
}

/** An assistant. Its form and its tools appear when it is first opened, because a space may have hundreds of assistants. */
function AssistantCard({ bot, onChange, onDelete }: AssistantCardProps) {
  const [wasOpened, setOpened] = useState(false);
  return (
    <details class="card" onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}>
      <summary>
        <bdi>{bot.name}</bdi>{' '}
        <span class="hint">
          {t('ID')} {bot.id}
        </span>
      </summary>
      {wasOpened && (
        <>
          <AssistantForm
            bot={bot}
            action={t('Save')}
            perform={async (change) => {
              await client.bots.update(bot.id, change);
              onChange();
            }}
          />
          <Tools botId={bot.id} name={bot.name} />
        </>
      )}
      {onDelete !== undefined && (
        <button type="button" class="danger" onClick={onDelete}>
          {t('Delete the assistant')} <span class="visually-hidden">{bot.name}</span>
        </button>
      )}
    </details>
  );
}

interface AssistantFormProps {
  readonly bot?: Bot;
  readonly action: string;
  readonly perform: (change: BotChange) => Promise<void>;
}

function AssistantForm({ bot, action, perform }: AssistantFormProps) {
  const [name, setName] = useState(bot?.name ?? '');
  const [greeting, setGreeting] = useState(bot?.greeting ?? '');
  const [suggestions, setSuggestions] = useState(bot?.suggestions.join('\n') ?? '');
  const [systemPrompt, setSystemPrompt] = useState(bot?.systemPrompt ?? '');
  const [model, setModel] = useState(bot?.model ?? '');
  const [contact, setContact] = useState(bot?.contact ?? '');
  const [handoff, setHandoff] = useState<HandoffDraft>(() => toDraft(bot?.handoff ?? null));
  const draft = {
    name,
    greeting: greeting === '' ? null : greeting,
    suggestions: suggestions.split('\n').filter((line) => line.trim() !== ''),
    systemPrompt: systemPrompt === '' ? null : systemPrompt,
    model: model.trim() === '' ? null : model.trim(),
    contact: contact.trim() === '' ? null : contact,
    handoff: toSettings(handoff),
  };
  const change = useChanges(draft, perform);
  const save = useAction(bot === undefined ? () => perform(draft) : change);
  return (
    <Form action={save} submit={action} draft={draft} done={t('Saved')}>
      <Field
        label={t('Name')}
        member="name"
        required
        maxLength={200}
        value={name}
        onValue={setName}
      />
      <TextArea
        label={t('Greeting')}
        member="greeting"
        rows={2}
        maxLength={2000}
        value={greeting}
        onValue={setGreeting}
      />
      <TextArea
        label={t('Suggested questions')}
        member="suggestions"
        hint={t('One question per line, at most {count}', { count: 10 })}
        value={suggestions}
        onValue={setSuggestions}
      />
      <TextArea
        label={t('Instructions for the model')}
        member="systemPrompt"
        maxLength={20_000}
        value={systemPrompt}
        onValue={setSystemPrompt}
      />
      <Field
        label={t('Model')}
        member="model"
        hint={t('Empty: the default model of the installation.')}
        maxLength={200}
        value={model}
        onValue={setModel}
      />
      <TextArea
        label={t('Whom to contact')}
        member="contact"
        hint={t(
          'The assistant says it to people who ask for a person, unless the team answers, and if it finds nothing.',
        )}
        rows={2}
        maxLength={500}
        value={contact}
        onValue={setContact}
      />
      <HandoffFields draft={handoff} onDraft={setHandoff} />
    </Form>
  );
}
