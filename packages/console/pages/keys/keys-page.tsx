import type { ApiKey } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { keysPath } from '../../app/paths.ts';
import { ownsSpace } from '../../app/rights.ts';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Field, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { plural, t } from '../../translations/translate.ts';

const scopeTexts = () =>
  [
    ['links:write', t('Create and revoke links')],
    ['events:write', t('Send events')],
    ['knowledge:write', t('Add, change and delete documents')],
    ['read', t('Read links, documents, events and deliveries')],
    ['conversations:read', t('Read the conversations of users')],
    ['conversations:write', t('Answer in conversations that were handed over')],
  ] as const;
/** Only owners may create keys that read conversations or answer in them. */
const grantableScopes = () =>
  scopeTexts().filter(([scope]) => !scope.startsWith('conversations:') || ownsSpace.value);
type Scope = ApiKey['scopes'][number];

const lifetimes = () =>
  [
    ['', t('Until it is revoked')],
    ['30', plural(30, '{count} day', '{count} days')],
    ['90', plural(90, '{count} day', '{count} days')],
    ['365', t('One year')],
  ] as const;
const DAY_MS = 24 * 3_600_000;

/** The API keys of a space. */
export function KeysPage() {
  const { spaceId = '' } = useRoute().params;
  const { query } = useLocation();
  const after = query['after'];
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const page = useLoaded(`keys ${spaceId} ${after}`, () =>
    client.apiKeys.list(after === undefined ? {} : { after }, { spaceId }),
  );
  return (
    <>
      <h1>{t('API keys')}</h1>
      <List
        caption={t('API keys')}
        columns={[
          t('Name'),
          t('Scopes'),
          t('Created'),
          t('Expires'),
          t('Last used'),
          t('Key'),
          t('Actions'),
        ]}
        page={page}
        path={keysPath(spaceId)}
        query={{ after }}
        keyOf={({ id }) => id}
        row={(key) => (
          <>
            <td>
              <bdi>{key.name}</bdi>
            </td>
            <td>{key.scopes.join(', ')}</td>
            <td>
              <Time at={key.createdAt} />
            </td>
            <td>
              <Time at={key.expiresAt} none={t('never')} />
            </td>
            <td>
              <Time at={key.lastUsedAt} none={t('never')} />
            </td>
            <td>
              <code>{key.prefix}…</code>
            </td>
            <td>
              <button type="button" class="small danger" onClick={() => setRevoked(key)}>
                {t('Revoke')} <span class="visually-hidden">{key.name}</span>
              </button>
            </td>
          </>
        )}
        empty={t(
          'Your backend sends an API key with each request. A key belongs to this space and can do only what its scopes permit.',
        )}
      />
      {revoked !== null && (
        <Confirm
          title={t('Revoke the key {name}?', { name: revoked.name })}
          action={t('Revoke')}
          perform={async () => {
            await client.apiKeys.delete(revoked.id, { spaceId });
            page.reload();
          }}
          onClose={() => setRevoked(null)}
        >
          {t(
            'Requests with this key fail immediately, and its streams end. This cannot be undone.',
          )}
        </Confirm>
      )}
      <NewKey spaceId={spaceId} onCreated={page.reload} />
    </>
  );
}

function NewKey({
  spaceId,
  onCreated,
}: {
  readonly spaceId: string;
  readonly onCreated: () => void;
}) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(['links:write']));
  const [days, setDays] = useState('');
  const [key, setKey] = useState<string | null>(null);
  const create = useAction(async () => {
    const expiresAt =
      days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const created = await client.apiKeys.create(
      { name, scopes: [...scopes], expiresAt },
      { spaceId },
    );
    setKey(created.key);
    setName('');
    onCreated();
  });
  const toggle = (scope: Scope) => {
    const next = new Set(scopes);
    if (!next.delete(scope)) next.add(scope);
    setScopes(next);
  };
  return (
    <section aria-labelledby="new-key">
      <h2 id="new-key">{t('New key')}</h2>
      {key !== null && (
        <div role="status">
          <p>{t('Store this key now. It is shown only once.')}</p>
          <Code name={t('The new key')} text={key} />
        </div>
      )}
      <Form
        draft={{ name, scopes: [...scopes].sort(), days }}
        action={create}
        submit={t('Create')}
        isBlocked={scopes.size === 0}
      >
        <Field
          label={t('Name')}
          member="name"
          hint={t('The program that will use the key')}
          required
          maxLength={200}
          value={name}
          onValue={setName}
        />
        <fieldset>
          <legend>{t('Scopes')}</legend>
          {grantableScopes().map(([scope, meaning]) => (
            <label class="check" key={scope}>
              <input type="checkbox" checked={scopes.has(scope)} onChange={() => toggle(scope)} />
              <code>{scope}</code> {meaning}
            </label>
          ))}
        </fieldset>
        <Select label={t('Valid')} options={lifetimes()} value={days} onValue={setDays} />
      </Form>
    </section>
  );
}
