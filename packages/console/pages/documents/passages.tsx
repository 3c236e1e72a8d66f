import type { Document } from '@gatehouse/client';
import { useLocation } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { documentPath, withQuery } from '../../app/paths.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';

const PER_PAGE = 20;

/** The extracted passages of a document, which searches find. The position of the first one is in the address. */
export function Passages({ document }: { readonly document: Document }) {
  const { id, spaceId, state, updatedAt } = document;
  const { query } = useLocation();
  const from = Math.max(0, Math.trunc(Number(query['passage'] ?? 0)) || 0);
  const { data, problem } = useLoaded(`passages ${id} ${from} ${state} ${updatedAt}`, () =>
    client.documents.listPassages(id, { position: from, limit: PER_PAGE }, { spaceId }),
  );
  const at = (position: number) =>
    withQuery(documentPath(spaceId, id), { passage: position > 0 ? String(position) : undefined });
  const last = data?.items.at(-1);
  return (
    <section aria-labelledby="passages">
      <h2 id="passages">{t('Extracted passages')}</h2>
      {problem !== null && <ProblemNote problem={problem} />}
      {problem === null && data === undefined && <LoadingNote />}
      {data?.items.length === 0 && (
        <p class="hint">
          {state === 'processing'
            ? t('The passages appear after the document is indexed.')
            : t('There are no passages here.')}
        </p>
      )}
      <ol class="passages" start={from + 1}>
        {(data?.items ?? []).map(({ position, heading, text }) => (
          <li key={position} value={position + 1}>
            {heading !== null && (
              <p class="hint">
                <bdi>{heading}</bdi>
              </p>
            )}
            <p class="text" dir="auto">
              {text}
            </p>
          </li>
        ))}
      </ol>
      <p class="pager">
        {from > 0 && <a href={at(Math.max(0, from - PER_PAGE))}>{t('Previous passages')}</a>}
        {data?.next != null && last !== undefined && (
          <a href={at(last.position + 1)}>{t('Next passages')}</a>
        )}
      </p>
    </section>
  );
}
