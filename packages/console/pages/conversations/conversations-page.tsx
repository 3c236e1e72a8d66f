import type { SpaceConversation, SpaceConversationQuery } from '@gatehouse/client';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { LongFilter } from '../../app/forms/long-filter.tsx';
import { useFilter, useQueryDraft } from '../../app/forms/query-draft.ts';
import { useLoaded } from '../../app/loading.ts';
import { conversationPath, conversationsPath, withQuery } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { DownloadLink } from '../../components/download-link.tsx';
import { Field, Select } from '../../components/field.tsx';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';
import { ConversationTabs } from './conversation-tabs.tsx';
import { HandoffBadge } from './handoff-panel.tsx';

/** Filters as the address contains them. Dates are in the time zone of the browser. */
interface Filters {
  readonly sub: string;
  readonly rating: string;
  readonly answered: string;
  readonly handoff: string;
  readonly from: string;
  readonly to: string;
}

/** Interval between reloads of the people who wait, in milliseconds. */
const WAITING_REFRESH_MS = 60_000;
const ignore = () => {};

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The conversations of a space, filtered by person, feedback and day. */
export function ConversationsPage() {
  const { spaceId = '' } = useRoute().params;
  const { query } = useLocation();
  const { after } = query;
  const filters: Filters = {
    sub: query['sub'] ?? '',
    rating: oneOf(query['rating'], ['up', 'down']),
    answered: oneOf(query['answered'], ['true', 'false']),
    handoff: oneOf(query['handoff'], ['requested', 'active', 'open']),
    from: query['from'] ?? '',
    to: query['to'] ?? '',
  };
  const [typed, setTyped] = useQueryDraft(filters);
  const path = conversationsPath(spaceId);
  const page = useLoaded(`conversations ${spaceId} ${JSON.stringify(filters)} ${after}`, () =>
    client.spaceConversations.list(
      { ...toQuery(filters), ...(after ? { after } : {}) },
      { spaceId },
    ),
  );
  // Each reload is a read that the audit records, so only the list of waiting people is reloaded, and rarely.
  useRefresh(filters.handoff === 'requested' ? page.reload : ignore, WAITING_REFRESH_MS);
  const filter = useFilter(path);
  const show = (changed: Partial<Filters>) => {
    const next = { ...typed, ...changed };
    setTyped(next);
    filter(next);
  };
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <>
      <ConversationTabs spaceId={spaceId} current="conversations" />
      <LongFilter isSet={isFiltered} onFilter={() => show({})}>
        <Field
          label={t('Person (sub)')}
          type="search"
          value={typed.sub}
          onValue={(sub) => setTyped({ ...typed, sub })}
        />
        <Select
          label={t('Feedback')}
          options={[
            ['', t('Any')],
            ['up', t('Liked')],
            ['down', t('Disliked')],
          ]}
          value={typed.rating}
          onValue={(rating) => show({ rating })}
        />
        <Select
          label={t('Answers')}
          options={[
            ['', t('Any')],
            ['false', t('With an unanswered question')],
            ['true', t('Without an unanswered question')],
          ]}
          value={typed.answered}
          onValue={(answered) => show({ answered })}
        />
        <Select
          label={t('People')}
          options={[
            ['', t('Any')],
            ['requested', t('Waiting for a person')],
            ['active', t('Answered by a person')],
          ]}
          value={typed.handoff}
          onValue={(handoff) => show({ handoff })}
        />
        <Field
          label={t('From')}
          type="date"
          value={typed.from}
          onValue={(from) => setTyped({ ...typed, from })}
        />
        <Field
          label={t('To')}
          type="date"
          value={typed.to}
          onValue={(to) => setTyped({ ...typed, to })}
        />
      </LongFilter>
      <List
        caption={t('Conversations')}
        columns={[
          t('First question'),
          t('Person'),
          t('Questions'),
          t('Feedback'),
          t('Last message'),
        ]}
        page={page}
        path={path}
        query={{ ...filters, after }}
        keyOf={({ id }) => id}
        row={(conversation) => <Row spaceId={spaceId} conversation={conversation} />}
        empty={
          isFiltered ? (
            <p>
              {t('No conversation matches.')} <a href={path}>{t('Show all conversations')}</a>
            </p>
          ) : (
            <p>
              {t(
                'The questions of users and the answers of the assistant appear here. Conversations of links that store no history never appear.',
              )}
            </p>
          )
        }
      />
      {page.data !== undefined && page.data.items.length > 0 && (
        <Export spaceId={spaceId} filters={filters} />
      )}
    </>
  );
}

interface RowProps {
  readonly spaceId: string;
  readonly conversation: SpaceConversation;
}

function Row({ spaceId, conversation }: RowProps) {
  const { id, title, sub, questions, unanswered, ratings, updatedAt, handoff } = conversation;
  return (
    <>
      <td>
        <a href={conversationPath(spaceId, id)}>
          <bdi>{title === '' ? t('No question yet') : title}</bdi>
        </a>{' '}
        <HandoffBadge handoff={handoff} />
      </td>
      <td>
        <bdi class="person">{sub ?? t('nobody in particular')}</bdi>
      </td>
      <td>
        {questions}{' '}
        {unanswered > 0 && (
          <span class="badge warn">{t('{count} without an answer', { count: unanswered })}</span>
        )}
      </td>
      <td>
        {ratings.up > 0 && (
          <span class="badge good">{t('{count} liked', { count: ratings.up })}</span>
        )}
        {ratings.down > 0 && (
          <span class="badge bad">{t('{count} disliked', { count: ratings.down })}</span>
        )}
      </td>
      <td>
        <Time at={updatedAt} />
      </td>
    </>
  );
}

function Export({ spaceId, filters }: { readonly spaceId: string; readonly filters: Filters }) {
  const href = (format: string) =>
    withQuery(`/spaces/${spaceId}/conversations/export`, { ...toQuery(filters), format });
  return (
    <p class="actions">
      <span class="hint">{t('Download all messages of these conversations:')}</span>
      <DownloadLink href={href('csv')} fileName="conversations.csv">
        CSV
      </DownloadLink>
      <DownloadLink href={href('jsonl')} fileName="conversations.jsonl">
        JSON Lines
      </DownloadLink>
    </p>
  );
}

/** Converts the filters to a query of the API. */
function toQuery({ sub, rating, answered, handoff, from, to }: Filters) {
  return {
    ...(sub === '' ? {} : { sub }),
    ...(rating === '' ? {} : { rating: rating as 'up' | 'down' }),
    ...(answered === '' ? {} : { answered: answered as 'true' | 'false' }),
    ...(handoff === '' ? {} : { handoff: handoff as 'requested' | 'active' }),
    ...(DATE.test(from) ? { from: startOfDay(from, 0) } : {}),
    ...(DATE.test(to) ? { to: startOfDay(to, 1) } : {}),
  } satisfies SpaceConversationQuery;
}

/** Returns the start of a day, or of a later one, in the time zone of the browser. */
function startOfDay(date: string, later: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + later).toISOString();
}

function oneOf(value: string | undefined, known: readonly string[]): string {
  return known.find((one) => one === value) ?? '';
}
