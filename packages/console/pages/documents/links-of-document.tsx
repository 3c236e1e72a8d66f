import type { Document } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { linkPath, newLinkPath } from '../../app/paths.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { shortened } from '../../components/shortened.ts';
import { Time } from '../../components/times/time.tsx';
import { plural, t } from '../../translations/translate.ts';

/** Number of links that are shown at first. */
const FIRST = 10;

/** The active links that show a document. Loaded again after each change of the document. */
export function LinksOfDocument({ document }: { readonly document: Document }) {
  const { id, spaceId, updatedAt, state } = document;
  const [isAll, setAll] = useState(false);
  const { data, problem } = useLoaded(`links of ${id} ${updatedAt} ${state}`, () =>
    client.documents.listLinks(id, { spaceId }),
  );
  const shown = isAll ? data?.items : data?.items.slice(0, FIRST);
  return (
    <section aria-labelledby="visible-to">
      <h2 id="visible-to">{t('Links that show this document')}</h2>
      {problem !== null && <ProblemNote problem={problem} />}
      {problem === null && data === undefined && <LoadingNote />}
      {data !== undefined && shown !== undefined && (
        <>
          <p role="status">
            {data.isComplete
              ? plural(
                  data.examined,
                  '{shown} of {count} active link shows it.',
                  '{shown} of {count} active links show it.',
                  { shown: data.items.length },
                )
              : plural(
                  data.examined,
                  '{shown} of the newest {count} active link shows it.',
                  '{shown} of the newest {count} active links show it.',
                  { shown: data.items.length },
                )}
          </p>
          {data.examined === 0 && (
            <p class="hint">
              {t('A link opens the assistant for one user.')}{' '}
              <a href={newLinkPath(spaceId)}>{t('Create a link')}</a>
            </p>
          )}
          {data.examined > 0 && data.items.length === 0 && (
            <p class="warning">
              {t(
                'No link shows this document. Compare its metadata with the filters of the links.',
              )}
            </p>
          )}
          <ul class="documents">
            {shown.map((link) => (
              <li key={link.id}>
                <a href={linkPath(spaceId, link.id)}>
                  <bdi>{shortened(link.sub ?? t('nobody in particular'))}</bdi>
                </a>{' '}
                <span class="hint">
                  {t('created')} <Time at={link.createdAt} />
                </span>{' '}
                {link.unrestricted && <span class="badge warn">{t('unrestricted')}</span>}
              </li>
            ))}
          </ul>
          {shown.length < data.items.length && (
            <div>
              <button type="button" class="small" onClick={() => setAll(true)}>
                {t('Show all {count}', { count: data.items.length })}
              </button>
            </div>
          )}
        </>
      )}
    </section>
  );
}
