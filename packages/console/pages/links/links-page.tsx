import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { linkPath, linksPath, newLinkPath, withQuery } from '../../app/paths.ts';
import { useSpace } from '../../app/space.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Field, Select } from '../../components/field.tsx';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/time.tsx';
import { StateBadge } from './state-badge.tsx';

const STATES = [
  ['', 'All states'],
  ['active', 'Active'],
  ['expired', 'Expired'],
  ['revoked', 'Revoked'],
] as const;
type State = 'active' | 'expired' | 'revoked';

/** The links of a space, filtered by person and state. */
export function LinksPage() {
  const { spaceId = '' } = useRoute().params;
  useSpace(spaceId);
  const { query, route } = useLocation();
  const { sub = '', after } = query;
  const state = STATES.find(([value]) => value !== '' && value === query['state'])?.[0] as
    | State
    | undefined;
  const [person, setPerson] = useState(sub);
  const [isRevoking, setRevoking] = useState(false);
  const path = linksPath(spaceId);
  const page = useLoaded(`links ${spaceId} ${sub} ${state} ${after}`, () =>
    client.links.list(
      { ...(sub === '' ? {} : { sub }), ...(state ? { state } : {}), ...(after ? { after } : {}) },
      { spaceId },
    ),
  );
  return (
    <>
      <div class="title">
        <h1>Links</h1>
        <a class="button main" href={newLinkPath(spaceId)}>
          New link
        </a>
      </div>
      <search>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            route(withQuery(path, { sub: person, state }));
          }}
        >
          <Field label="Person (sub)" type="search" value={person} onValue={setPerson} />
          <Select
            label="State"
            options={STATES}
            value={state ?? ''}
            onValue={(value) => route(withQuery(path, { sub: person, state: value }))}
          />
          <button type="submit">Filter</button>
          {sub !== '' && (
            <button type="button" class="danger" onClick={() => setRevoking(true)}>
              Revoke all links of this person
            </button>
          )}
        </form>
      </search>
      {isRevoking && (
        <Confirm
          title={`Revoke all links of ${sub}?`}
          action="Revoke all"
          perform={async () => {
            await client.links.revokeAll({ sub }, { spaceId });
            page.reload();
          }}
          onClose={() => setRevoking(false)}
        >
          <p>
            This ends every session of these links immediately, including running answers. It cannot
            be undone.
          </p>
        </Confirm>
      )}
      <List
        caption="Links"
        columns={['Person', 'State', 'Created', 'Expires', 'Opened', 'Token']}
        page={page}
        path={path}
        query={{ sub, state, after }}
        keyOf={({ id }) => id}
        row={(link) => (
          <>
            <td>
              <a href={linkPath(spaceId, link.id)}>
                <bdi>{link.sub ?? 'nobody in particular'}</bdi>
              </a>
            </td>
            <td>
              <StateBadge link={link} />
            </td>
            <td>
              <Time at={link.createdAt} />
            </td>
            <td>
              <Time at={link.exp * 1000} />
            </td>
            <td>{link.exchanges === 0 ? 'never' : `${link.exchanges} times`}</td>
            <td>
              <code>{link.tokenPrefix}…</code>
            </td>
          </>
        )}
        empty={
          sub === '' && state === undefined ? (
            <p>
              A link opens the assistant for one user and shows only the documents that its filter
              permits. Your backend creates links with <code>POST /assistant-link</code>, or you{' '}
              <a href={newLinkPath(spaceId)}>create one here</a>.
            </p>
          ) : (
            <p>
              No link matches. <a href={path}>Show all links</a>
            </p>
          )
        }
      />
    </>
  );
}
