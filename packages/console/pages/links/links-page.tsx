import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import type { Query } from '../../app/early.ts';
import { useFilter, useQueryDraft } from '../../app/forms/query-draft.ts';
import { submits } from '../../app/forms/submits.ts';
import { useLoaded } from '../../app/loading.ts';
import { linkPath, linksPath, newLinkPath } from '../../app/paths.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Field, Select } from '../../components/field.tsx';
import { List } from '../../components/list.tsx';
import { shortened } from '../../components/shortened.ts';
import { Time } from '../../components/times/time.tsx';
import { plural, rich, t } from '../../translations/translate.ts';
import { StateBadge } from './state-badge.tsx';

const STATES = ['active', 'expired', 'revoked'] as const;
const stateOptions = () =>
  [
    ['', t('All states')],
    ['active', t('Active')],
    ['expired', t('Expired')],
    ['revoked', t('Revoked')],
  ] as const;

/** The page of links that an address names. */
export function sourceOf(spaceId: string, { sub = '', after, state: given }: Query) {
  const state = STATES.find((one) => one === given);
  const filter = {
    ...(sub === '' ? {} : { sub }),
    ...(state ? { state } : {}),
    ...(after ? { after } : {}),
  };
  return {
    key: `links ${spaceId} ${JSON.stringify(filter)}`,
    load: () => client.links.list(filter, { spaceId }),
  };
}

/** The links of a space, filtered by person and state. */
export function LinksPage() {
  const { spaceId = '' } = useRoute().params;
  const { query } = useLocation();
  const { sub = '', after } = query;
  const state = STATES.find((one) => one === query['state']);
  const [person, setPerson] = useQueryDraft(sub);
  const [isRevoking, setRevoking] = useState(false);
  const path = linksPath(spaceId);
  const filter = useFilter(path);
  const { key, load } = sourceOf(spaceId, query);
  const page = useLoaded(key, load);
  return (
    <>
      <div class="title">
        <h1>{t('Links')}</h1>
        <a class="button main" href={newLinkPath(spaceId)}>
          {t('New link')}
        </a>
      </div>
      <search>
        <form class="row" onSubmit={submits(() => filter({ sub: person, state }))}>
          <Field label={t('Person (sub)')} type="search" value={person} onValue={setPerson} />
          <Select
            label={t('State')}
            options={stateOptions()}
            value={state ?? ''}
            onValue={(value) => filter({ sub: person, state: value })}
          />
          <button type="submit">{t('Filter')}</button>
          {sub !== '' && (
            <button type="button" class="danger" onClick={() => setRevoking(true)}>
              {t('Revoke all links of this person')}
            </button>
          )}
        </form>
      </search>
      {isRevoking && (
        <Confirm
          title={t('Revoke all links of {person}?', { person: sub })}
          action={t('Revoke all')}
          perform={async () => {
            await client.links.revokeAll({ sub }, { spaceId });
            page.reload();
          }}
          onClose={() => setRevoking(false)}
        >
          {t(
            'This ends every session of these links immediately, including running answers. This cannot be undone.',
          )}
        </Confirm>
      )}
      <List
        caption={t('Links')}
        columns={[t('Person'), t('State'), t('Created'), t('Expires'), t('Opened'), t('Token')]}
        page={page}
        path={path}
        query={{ sub, state, after }}
        keyOf={({ id }) => id}
        row={(link) => (
          <>
            <td>
              <a href={linkPath(spaceId, link.id)}>
                <bdi>{shortened(link.sub ?? t('nobody in particular'))}</bdi>
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
            <td>
              {link.exchanges === 0
                ? t('never')
                : plural(link.exchanges, '{count} time', '{count} times')}
            </td>
            <td>
              <code>{link.tokenPrefix}…</code>
            </td>
          </>
        )}
        empty={
          sub === '' && state === undefined ? (
            <p>
              {t(
                'A link opens the assistant for one user and shows only the documents that its filter permits.',
              )}{' '}
              {rich('Your backend creates links with {operation}.', {
                operation: <code>POST /assistant-link</code>,
              })}{' '}
              <a href={newLinkPath(spaceId)}>{t('Create a link here')}</a>
            </p>
          ) : (
            <p>
              {t('No link matches.')} <a href={path}>{t('Show all links')}</a>
            </p>
          )
        }
      />
    </>
  );
}
