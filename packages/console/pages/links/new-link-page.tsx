import type { CreatedLink, LinkRequest } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { linksPath } from '../../app/paths.ts';
import { useFreshSpace } from '../../app/space.ts';
import { BudgetFields, toBudget, toBudgetDraft } from '../../components/budget-fields.tsx';
import { Code } from '../../components/code.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FilterEditor, readFilter } from '../../components/filter-editor.tsx';
import { Form } from '../../components/form.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { plural, t } from '../../translations/translate.ts';
import { createLink } from '../spaces/snippets.ts';

const lifetimes = () =>
  [
    ['3600', t('One hour')],
    ['86400', t('One day')],
    ['604800', t('One week')],
    ['2592000', plural(30, '{count} day', '{count} days')],
  ] as const;

/** The form for a new link. Beside it, the same request as JSON and as code. */
export function NewLinkPage() {
  const { spaceId = '' } = useRoute().params;
  const space = useFreshSpace(spaceId);
  const [sub, setSub] = useState('');
  const [email, setEmail] = useState('');
  const [ttl, setTtl] = useState('3600');
  const [filterText, setFilterText] = useState('');
  const [history, setHistory] = useState(true);
  const [budgetDraft, setBudgetDraft] = useState(() => toBudgetDraft(null));
  const [created, setCreated] = useState<CreatedLink | null>(null);
  const read = readFilter(filterText);
  const budget = toBudget(budgetDraft);
  const request: LinkRequest = {
    spaceId,
    ...(sub === '' ? {} : { sub }),
    ...(email === '' ? {} : { email }),
    ttlSeconds: Number(ttl),
    ...(read.ok && read.filter !== undefined ? { permissionFilter: read.filter } : {}),
    ...(history ? {} : { features: { chatHistory: false } }),
    ...(budget === null ? {} : { budget }),
  };
  const create = useAction(async () => {
    setCreated(await client.links.create(request));
  });
  if (space.problem !== null) return <PageProblem problem={space.problem} />;
  if (created !== null) return <Created spaceId={spaceId} created={created} />;
  const isUnrestricted =
    read.ok && read.filter === undefined && space.data?.permissionFilter === null;
  const { spaceId: _space, ...shown } = request;
  return (
    <>
      <p>
        <a href={linksPath(spaceId)}>{t('Links')}</a>
      </p>
      <h1>{t('New link')}</h1>
      <div class="columns">
        <Form
          draft={{ sub, email, ttl, filterText, history, budgetDraft }}
          action={create}
          submit={t('Create')}
          isBlocked={!read.ok}
        >
          <Field
            label={t('Person (sub)')}
            member="sub"
            hint={t('The identifier of the user in your system. Conversations belong to it.')}
            value={sub}
            onValue={setSub}
          />
          <Field
            label={t('Email address')}
            member="email"
            type="email"
            value={email}
            onValue={setEmail}
          />
          <Select
            label={t('Lifetime')}
            member="ttlSeconds"
            options={lifetimes()}
            value={ttl}
            onValue={setTtl}
          />
          <FilterEditor
            spaceId={spaceId}
            label={t('Permission filter')}
            text={filterText}
            onText={setFilterText}
          />
          <label class="check">
            <input
              type="checkbox"
              checked={history}
              onChange={({ currentTarget }) => setHistory(currentTarget.checked)}
            />
            {t('Store the conversations of this person')}
          </label>
          <details>
            <summary>{t('Budget for models')}</summary>
            <p class="hint">
              {t('When a limit is reached, answers of this link quote documents without a model.')}
            </p>
            <BudgetFields draft={budgetDraft} onDraft={setBudgetDraft} />
          </details>
          {isUnrestricted && (
            <p class="warning">
              {t('Without a filter, this link shows every document of the space.')}
            </p>
          )}
        </Form>
        <aside aria-label={t('The same request as code')}>
          <h2>JSON</h2>
          <Code name="JSON" text={JSON.stringify(shown, null, 2)} />
          <h2>curl</h2>
          <Code name="curl" text={createLink('curl', shown)} />
          <h2>TypeScript</h2>
          <Code name="TypeScript" text={createLink('typescript', shown)} />
        </aside>
      </div>
    </>
  );
}

function Created({
  spaceId,
  created,
}: {
  readonly spaceId: string;
  readonly created: CreatedLink;
}) {
  return (
    <>
      <h1>{t('The link was created')}</h1>
      <p>
        {t(
          'This is the only time that the link is shown. Everyone who has it can use the assistant as this person until it expires.',
        )}
      </p>
      <Code name={t('URL of the link')} text={created.url} />
      <div class="actions">
        <a class="button main" href={created.url} target="_blank" rel="noreferrer">
          {t('Open the assistant')}
        </a>
        <a class="button" href={linksPath(spaceId)}>
          {t('All links')}
        </a>
      </div>
    </>
  );
}
