import type { EventSource } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { eventsPath, sourcesPath } from '../../app/paths.ts';
import { Confirm } from '../../components/confirm.tsx';
import { List } from '../../components/list.tsx';
import { RotateSecret } from '../../components/secrets/rotate-secret.tsx';
import { SecretPeriods } from '../../components/secrets/secret-periods.tsx';
import { rich, t } from '../../translations/translate.ts';
import { ChangeSource } from './change-source.tsx';
import { NewSource } from './new-source.tsx';

/** The event sources of a space and their secrets. */
export function SourcesPage() {
  const { spaceId = '' } = useRoute().params;
  const after = useLocation().query['after'];
  const [changed, setChanged] = useState<EventSource | null>(null);
  const [deleted, setDeleted] = useState<EventSource | null>(null);
  const [rotated, setRotated] = useState<EventSource | null>(null);
  const page = useLoaded(`sources ${spaceId} ${after}`, () =>
    client.eventSources.list(after === undefined ? {} : { after }, { spaceId }),
  );
  return (
    <>
      <h1>{t('Event sources')}</h1>
      <List
        caption={t('Event sources')}
        columns={[t('Name'), t('Source'), t('Events'), t('Secret'), t('Actions')]}
        page={page}
        path={sourcesPath(spaceId)}
        query={{ after }}
        keyOf={({ id }) => id}
        row={(source) => (
          <>
            <td>
              <bdi>{source.name}</bdi>
            </td>
            <td class="attribute">
              <bdi>{source.source}</bdi>
              {source.match === 'prefix' && <div class="hint">{t('and longer values')}</div>}
            </td>
            <td class="attribute">
              {source.signatureRequired ? t('only signed') : t('signed or with a key')}
              {source.feedsKnowledge && <div>{t('may change documents')}</div>}
            </td>
            <td class="attribute">
              <SecretPeriods secrets={source.secrets} />
            </td>
            <td>
              <div class="actions">
                <button type="button" class="small" onClick={() => setChanged(source)}>
                  {t('Change')} <span class="visually-hidden">{source.name}</span>
                </button>
                <button type="button" class="small" onClick={() => setRotated(source)}>
                  {t('Rotate secret')} <span class="visually-hidden">{source.name}</span>
                </button>
                <button type="button" class="small danger" onClick={() => setDeleted(source)}>
                  {t('Delete')} <span class="visually-hidden">{source.name}</span>
                </button>
              </div>
            </td>
          </>
        )}
        empty={
          <p>
            {rich(
              'An event source is a system that signs its events with a secret, so it needs no API key and nobody else can send {events} in its name. Register the first one below.',
              { events: <a href={eventsPath(spaceId)}>{t('events')}</a> },
            )}
          </p>
        }
      />
      {changed !== null && (
        <ChangeSource source={changed} onChanged={page.reload} onClose={() => setChanged(null)} />
      )}
      {rotated !== null && (
        <RotateSecret
          title={t('Rotate the secret of {name}?', { name: rotated.name })}
          explanation={t(
            'The sender must sign with the new secret before the old one becomes invalid.',
          )}
          rotate={async (keepOldSeconds) => {
            const { secret } = await client.eventSources.rotateSecret(
              rotated.id,
              { keepOldSeconds },
              { spaceId },
            );
            page.reload();
            return secret;
          }}
          onClose={() => setRotated(null)}
        />
      )}
      {deleted !== null && (
        <Confirm
          title={t('Delete the event source {name}?', { name: deleted.name })}
          action={t('Delete')}
          perform={async () => {
            await client.eventSources.delete(deleted.id, { spaceId });
            page.reload();
          }}
          onClose={() => setDeleted(null)}
        >
          {t(
            'Its secrets become invalid immediately, so the service rejects its signed events. Events that it sent remain stored. This cannot be undone.',
          )}
        </Confirm>
      )}
      <NewSource spaceId={spaceId} onCreated={page.reload} />
    </>
  );
}
