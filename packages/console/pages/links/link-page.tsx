import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { linksPath, previewPath, withQuery } from '../../app/paths.ts';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { shortened } from '../../components/shortened.ts';
import { Time } from '../../components/times/time.tsx';
import { plural, rich, t } from '../../translations/translate.ts';
import { StateBadge } from './state-badge.tsx';

/** One link: its state, its activity and its payload. */
export function LinkPage() {
  const { spaceId = '', linkId = '' } = useRoute().params;
  const [isRevoking, setRevoking] = useState(false);
  const { data: link, problem, reload } = useLoaded(linkId, () => client.links.get(linkId));
  if (problem !== null) return <PageProblem problem={problem} />;
  if (link === undefined) return <LoadingNote />;
  return (
    <>
      <p>
        <a href={linksPath(spaceId)}>{t('Links')}</a>
      </p>
      <div class="title">
        <h1>
          {rich('Link of {person}', {
            person: <bdi>{shortened(link.sub ?? t('nobody in particular'))}</bdi>,
          })}
        </h1>
        {link.state === 'active' && (
          <>
            <a class="button" href={previewPath(spaceId, link.id)}>
              {t('What does it show?')}
            </a>
            <button type="button" class="danger" onClick={() => setRevoking(true)}>
              {t('Revoke')}
            </button>
          </>
        )}
      </div>
      {isRevoking && (
        <Confirm
          title={t('Revoke this link?')}
          action={t('Revoke')}
          perform={async () => {
            await client.links.revoke(link.id);
            reload();
          }}
          onClose={() => setRevoking(false)}
        >
          {t(
            'This ends every session of this link immediately, including running answers. This cannot be undone.',
          )}
        </Confirm>
      )}
      {link.unrestricted && (
        <p class="warning">
          {t(
            'This link shows every document of the space: neither the link nor the space has a permission filter.',
          )}
        </p>
      )}
      {link.warnings.map((warning) => (
        <p class="warning" key={warning}>
          {warning}
        </p>
      ))}
      <dl>
        <dt>{t('State')}</dt>
        <dd>
          <StateBadge link={link} />
        </dd>
        <dt>{t('Created')}</dt>
        <dd>
          <Time at={link.createdAt} />
        </dd>
        <dt>{t('Expires')}</dt>
        <dd>
          <Time at={link.exp * 1000} />
        </dd>
        {link.revokedAt !== null && (
          <>
            <dt>{t('Revoked')}</dt>
            <dd>
              <Time at={link.revokedAt} />
            </dd>
          </>
        )}
        <dt>{t('Opened')}</dt>
        <dd>
          {link.exchanges === 0
            ? t('never')
            : plural(link.exchanges, '{count} time', '{count} times')}
          {link.lastExchangedAt !== null && (
            <>
              {' · '}
              {rich('last {time}', { time: <Time at={link.lastExchangedAt} /> })}
            </>
          )}
        </dd>
        <dt>{t('Token')}</dt>
        <dd>
          <code>{link.tokenPrefix}…</code>
        </dd>
        {link.sub !== null && (
          <>
            <dt>{t('Person')}</dt>
            <dd>
              <a href={withQuery(linksPath(spaceId), { sub: link.sub })}>
                {t('All links of this person')}
              </a>
            </dd>
          </>
        )}
      </dl>
      <h2>{t('Payload')}</h2>
      <Code name={t('Payload of the link')} text={JSON.stringify(link.jwtPayload, null, 2)} />
      {link.userInformation !== null && (
        <>
          <h2>{t('Facts about the user')}</h2>
          <Code
            name={t('Facts about the user')}
            text={JSON.stringify(link.userInformation, null, 2)}
          />
        </>
      )}
    </>
  );
}
