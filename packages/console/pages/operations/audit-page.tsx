import type { AuditEntry, AuditQuery } from '@gatehouse/client';
import { useLocation, useRoute } from 'preact-iso';
import { client, session } from '../../app/client.ts';
import { LongFilter } from '../../app/forms/long-filter.tsx';
import { useFilter, useQueryDraft } from '../../app/forms/query-draft.ts';
import { useLoaded } from '../../app/loading.ts';
import { auditPath, linkPath, userPath, withQuery } from '../../app/paths.ts';
import { useOptionalSpace } from '../../app/space.ts';
import { DownloadLink } from '../../components/download-link.tsx';
import { Field } from '../../components/field.tsx';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';

const FILTERS = ['action', 'actor', 'resource', 'from', 'to'] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;
const DAY_MS = 24 * 3_600_000;

/** The audit of a space, or of the installation for administrators. The filters are in the address. */
export function AuditPage() {
  const { spaceId } = useRoute().params;
  useOptionalSpace(spaceId);
  const { query } = useLocation();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? ''])) as Filters;
  const { after } = query;
  const path = auditPath(spaceId);
  const request = requestOf(spaceId, filters);
  const page = useLoaded(`audit ${JSON.stringify(request)} ${after}`, () =>
    client.audit.list(after === undefined ? request : { ...request, after }),
  );
  return (
    <>
      <div class="title">
        <h1>{t('Audit')}</h1>
        <DownloadLink
          href={withQuery('/audit/export', { ...request, format: 'csv' })}
          fileName="audit.csv"
        >
          {t('Export as CSV')}
        </DownloadLink>
      </div>
      <p class="hint">
        {t(
          'Who did what, when and from which address. Entries are never changed and contain no secrets and no texts.',
        )}
      </p>
      <FilterForm path={path} filters={filters} />
      <List
        caption={t('Audit')}
        columns={[t('Time'), t('Action'), t('By'), t('Resource'), t('Address'), t('Details')]}
        page={page}
        path={path}
        query={{ ...filters, after }}
        keyOf={({ id }) => id}
        row={(entry) => <Entry entry={entry} spaceOfPage={spaceId} />}
        empty={
          <p>
            {t('No entry matches.')} <a href={path}>{t('Show all entries')}</a>
          </p>
        }
      />
    </>
  );
}

/** The dates are days in UTC. Both are included. */
function requestOf(spaceId: string | undefined, { from, to, ...exact }: Filters) {
  const given = Object.entries(exact).filter(([, value]) => value !== '');
  return {
    ...(spaceId === undefined ? {} : { spaceId }),
    ...Object.fromEntries(given),
    ...(Number.isNaN(Date.parse(from)) ? {} : { from: new Date(from).toISOString() }),
    ...(Number.isNaN(Date.parse(to))
      ? {}
      : { to: new Date(Date.parse(to) + DAY_MS).toISOString() }),
  } satisfies AuditQuery;
}

function FilterForm({ path, filters }: { readonly path: string; readonly filters: Filters }) {
  const filter = useFilter(path);
  const [values, setValues] = useQueryDraft(filters);
  const field = (name: keyof Filters) => ({
    value: values[name],
    onValue: (value: string) => setValues({ ...values, [name]: value.trim() }),
  });
  return (
    <LongFilter
      isSet={Object.values(filters).some((value) => value !== '')}
      onFilter={() => filter(values)}
    >
      <Field label={t('Action')} type="search" {...field('action')} placeholder="link.created" />
      <Field label={t('ID of the actor')} type="search" {...field('actor')} />
      <Field label={t('ID of the resource')} type="search" {...field('resource')} />
      <Field label={t('From day (UTC)')} type="date" {...field('from')} />
      <Field label={t('To day (UTC)')} type="date" {...field('to')} />
    </LongFilter>
  );
}

interface EntryProps {
  readonly entry: AuditEntry;
  /** Undefined: the audit of the installation. */
  readonly spaceOfPage: string | undefined;
}

/** An entry. IDs lead to the resource, or else to all entries with the ID. */
function Entry({ entry, spaceOfPage }: EntryProps) {
  const { action, actor, address, at, details, resource, spaceId } = entry;
  const isAdmin = session.value?.user.admin === true;
  const target =
    resource.type === 'link' && resource.id !== null && spaceId !== null
      ? linkPath(spaceId, resource.id)
      : resource.type === 'user' && resource.id !== null && isAdmin
        ? userPath(resource.id)
        : undefined;
  return (
    <>
      <td>
        <Time at={at} />
      </td>
      <td class="short">
        <code>{action}</code>
      </td>
      <td>
        {actorNames()[actor.type]}
        {actor.id !== null && (
          <Id
            id={actor.id}
            path={withQuery(auditPath(spaceOfPage), { actor: actor.id })}
            purpose={t('Entries of this actor')}
          />
        )}
      </td>
      <td>
        {resource.type}
        {resource.id !== null && (
          <Id
            id={resource.id}
            path={target ?? withQuery(auditPath(spaceOfPage), { resource: resource.id })}
            purpose={target === undefined ? t('Entries of this resource') : undefined}
          />
        )}
      </td>
      <td class="short">
        <bdi>{address ?? '–'}</bdi>
      </td>
      <td class="attribute">
        {hasMembers(details) ? <code>{JSON.stringify(details)}</code> : '–'}
      </td>
    </>
  );
}

function hasMembers(details: AuditEntry['details']): boolean {
  return details !== null && Object.keys(details).length > 0;
}

const SHOWN_CHARACTERS = 12;

interface IdProps {
  readonly id: string;
  readonly path: string;
  /** Distinguishes the link, for screen readers, from links with the same ID to other pages. */
  readonly purpose: string | undefined;
}

/** The end of an ID, which distinguishes it from other IDs of the same time. The tooltip shows the whole ID. */
function Id({ id, path, purpose }: IdProps) {
  const short = id.length > SHOWN_CHARACTERS + 1 ? `…${id.slice(-SHOWN_CHARACTERS)}` : id;
  return (
    <div class="id">
      <a href={path}>
        <code title={id}>{short}</code>
        {purpose !== undefined && <span class="visually-hidden"> {purpose}</span>}
      </a>
    </div>
  );
}

const actorNames = () =>
  ({
    user: t('user'),
    'api-key': t('API key'),
    link: t('link'),
    operator: t('operator'),
    anonymous: t('anonymous'),
  }) as const satisfies Record<AuditEntry['actor']['type'], string>;
