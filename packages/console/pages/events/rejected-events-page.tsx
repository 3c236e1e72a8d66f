import type { RejectedEvent } from '@gatehouse/client';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { keysPath, rejectedEventsPath } from '../../app/paths.ts';
import { List } from '../../components/list.tsx';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { t } from '../../translations/translate.ts';
import { EventTabs } from './event-tabs.tsx';
import { reasonName } from './reasons.ts';

/** The rejected events and requests of a space, newest first, with reasons and senders. */
export function RejectedEventsPage() {
  const { spaceId = '' } = useRoute().params;
  const { after = '' } = useLocation().query;
  const page = useLoaded(`rejected ${spaceId} ${after}`, () =>
    client.events.listRejected(after === '' ? {} : { after }, { spaceId }),
  );
  const keys = useLoaded(`names of keys ${spaceId}`, () => keyNames(spaceId));
  return (
    <>
      <EventTabs spaceId={spaceId} />
      <p class="hint">
        {t(
          'Rejected events, and rejected requests with a credential of this space. They are stored for 7 days by default, without their data.',
        )}
      </p>
      <List
        caption={t('Rejected events, newest first')}
        columns={[t('Time'), t('Reason'), t('Problem'), t('Sender'), t('Event')]}
        page={page}
        path={rejectedEventsPath(spaceId)}
        query={{ after }}
        keyOf={({ id }) => id}
        row={(entry) => (
          <>
            <td>
              <ExactTime at={entry.at} />
            </td>
            <td>
              <span class="badge bad">{reasonName(entry.reason)}</span>
            </td>
            <td class="attribute">
              <bdi>{entry.problem}</bdi>
            </td>
            <td class="attribute">
              <Sender spaceId={spaceId} sender={entry.sender} names={keys.data} />
            </td>
            <td class="attribute">
              <Attributes entry={entry} />
            </td>
          </>
        )}
        empty={t(
          'No event was rejected. If a sender exceeds a limit or sends an invalid event, you find the reason and the sender here.',
        )}
      />
    </>
  );
}

interface SenderProps {
  readonly spaceId: string;
  readonly sender: RejectedEvent['sender'];
  /** Names of API keys by their ID. `undefined` until they are loaded. */
  readonly names: ReadonlyMap<string, string> | undefined;
}

function Sender({ spaceId, sender: { kind, id }, names }: SenderProps) {
  if (kind === 'signature') return <>{t('a signature')}</>;
  if (kind === 'user')
    return (
      <>
        {t('user')} <code>{id}</code>
      </>
    );
  const name = names?.get(id ?? '');
  return (
    <>
      {t('API key')}{' '}
      <a href={keysPath(spaceId)}>{name === undefined ? <code>{id}</code> : <bdi>{name}</bdi>}</a>
    </>
  );
}

function Attributes({ entry: { event } }: { readonly entry: RejectedEvent }) {
  if (event === null) return <>{t('the whole request')}</>;
  const { index, type, source, id } = event;
  const known = [type, source, id].filter((value) => value !== null);
  return (
    <>
      {t('event {position} of the request', { position: index + 1 })}
      {known.map((value) => (
        <div key={value}>
          <bdi>{value}</bdi>
        </div>
      ))}
    </>
  );
}

/** Returns the names of the newest API keys. The list works without them. */
async function keyNames(spaceId: string): Promise<ReadonlyMap<string, string>> {
  try {
    const { items } = await client.apiKeys.list({ limit: 200 }, { spaceId });
    return new Map(items.map(({ id, name }) => [id, name]));
  } catch {
    return new Map();
  }
}
