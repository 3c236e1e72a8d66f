import type { Tool } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { Confirm } from '../../components/confirm.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { NewSecret } from '../../components/secrets/rotate-secret.tsx';
import { t } from '../../translations/translate.ts';
import { newSecret, ToolForm } from './tool-form.tsx';

/** The tools of an assistant, each with a form, and the form for a new one. */
export function Tools({ botId, name }: { readonly botId: number; readonly name: string }) {
  // An assistant has at most 20 tools.
  const { data, problem, reload } = useLoaded(`tools ${botId}`, () =>
    client.tools.list(botId, { limit: 100 }),
  );
  const [deleted, setDeleted] = useState<Tool | null>(null);
  const [created, setCreated] = useState(0);
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useAction(async (toolId: string) => {
    const replacement = newSecret();
    await client.tools.update(botId, toolId, { secret: replacement });
    setSecret(replacement);
  });
  if (problem !== null) return <ProblemNote problem={problem} />;
  return (
    <section aria-label={t('Tools of {name}', { name })}>
      <h3>{t('Tools')}</h3>
      <p class="hint">
        {t(
          'A tool is a URL of yours that the model can call while it answers, for example to cancel an order.',
        )}
      </p>
      {secret !== null && <NewSecret secret={secret} />}
      {rotate.problem && <ProblemNote problem={rotate.problem} />}
      {data === undefined && <LoadingNote />}
      {data?.items.map((tool) => (
        <details key={tool.id} class="card">
          <summary>
            <code>{tool.name}</code>{' '}
            <span class="hint">{tool.consent ? t('asks before each call') : t('never asks')}</span>
          </summary>
          <ToolForm
            tool={tool}
            action={t('Save')}
            perform={async (change) => {
              await client.tools.update(botId, tool.id, change);
              reload();
            }}
          />
          <div class="actions">
            <button
              type="button"
              aria-disabled={rotate.isRunning}
              onClick={() => void rotate.run(tool.id)}
            >
              {t('New secret')} <span class="visually-hidden">{tool.name}</span>
            </button>
            <button type="button" class="danger" onClick={() => setDeleted(tool)}>
              {t('Delete')} <span class="visually-hidden">{tool.name}</span>
            </button>
          </div>
        </details>
      ))}
      <details class="card">
        <summary>{t('New tool')}</summary>
        <ToolForm
          key={created}
          action={t('Create')}
          perform={async ({ name = '', description = '', inputSchema = {}, ...tool }) => {
            const { secret } = await client.tools.create(botId, {
              ...tool,
              name,
              description,
              inputSchema,
            });
            setSecret(secret);
            setCreated(created + 1);
            reload();
          }}
        />
      </details>
      {deleted !== null && (
        <Confirm
          title={t('Delete the tool {name}?', { name: deleted.name })}
          action={t('Delete')}
          perform={async () => {
            await client.tools.delete(botId, deleted.id);
            reload();
          }}
          onClose={() => setDeleted(null)}
        >
          {t(
            'The assistant can no longer call it, and calls that wait for consent are not sent. This cannot be undone.',
          )}
        </Confirm>
      )}
    </section>
  );
}
