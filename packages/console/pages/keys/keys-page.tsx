import type { ApiKey } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { keysPath } from '../../app/paths.ts';
import { useSpace } from '../../app/space.ts';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Field, Select } from '../../components/field.tsx';
import { List } from '../../components/list.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Time } from '../../components/time.tsx';

const SCOPES = [
  ['links:write', 'Create and revoke links'],
  ['events:write', 'Send events'],
  ['knowledge:write', 'Add, change and delete documents'],
  ['read', 'Read links, documents, events and deliveries'],
  ['conversations:read', 'Read the conversations of users (only an owner can give this scope)'],
] as const;
type Scope = ApiKey['scopes'][number];

const LIFETIMES = [
  ['', 'Until it is revoked'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'One year'],
] as const;
const DAY_MS = 24 * 3_600_000;

/** The API keys of a space. */
export function KeysPage() {
  const { spaceId = '' } = useRoute().params;
  useSpace(spaceId);
  const { query } = useLocation();
  const after = query['after'];
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const page = useLoaded(`keys ${spaceId} ${after}`, () =>
    client.apiKeys.list(after === undefined ? {} : { after }, { spaceId }),
  );
  return (
    <>
      <h1>API keys</h1>
      <List
        caption="API keys"
        columns={['Name', 'Scopes', 'Created', 'Expires', 'Last used', 'Key', 'Actions']}
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
              <Time at={key.expiresAt} none="never" />
            </td>
            <td>
              <Time at={key.lastUsedAt} none="never" />
            </td>
            <td>
              <code>{key.prefix}…</code>
            </td>
            <td>
              <button type="button" class="small danger" onClick={() => setRevoked(key)}>
                Revoke <span class="visually-hidden">{key.name}</span>
              </button>
            </td>
          </>
        )}
        empty={
          <p>
            Your backend sends an API key with each request. A key belongs to this space and can do
            only what its scopes permit.
          </p>
        }
      />
      {revoked !== null && (
        <Confirm
          title={`Revoke the key ${revoked.name}?`}
          action="Revoke"
          perform={async () => {
            await client.apiKeys.delete(revoked.id, { spaceId });
            page.reload();
          }}
          onClose={() => setRevoked(null)}
        >
          <p>Requests with this key fail immediately, and its streams end. It cannot be undone.</p>
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
      <h2 id="new-key">New key</h2>
      {key !== null && (
        <div role="status">
          <p>Store this key now. It is shown only once.</p>
          <Code name="The new key" text={key} />
        </div>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <Field
          label="Name"
          hint="The program that will use the key"
          required
          maxLength={200}
          value={name}
          onValue={setName}
        />
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map(([scope, meaning]) => (
            <label class="check" key={scope}>
              <input type="checkbox" checked={scopes.has(scope)} onChange={() => toggle(scope)} />
              <code>{scope}</code> {meaning}
            </label>
          ))}
        </fieldset>
        <Select label="Valid" options={LIFETIMES} value={days} onValue={setDays} />
        {create.problem && <ProblemNote problem={create.problem} />}
        <button type="submit" class="main" disabled={create.isRunning || scopes.size === 0}>
          Create
        </button>
      </form>
    </section>
  );
}
