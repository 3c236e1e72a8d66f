import type { Projection } from '@gatehouse/client';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useFilter, useQueryDraft } from '../../app/forms/query-draft.ts';
import { submits } from '../../app/forms/submits.ts';
import { useFirstPageInstead, useLoaded } from '../../app/loading.ts';
import { projectionPath, withQuery } from '../../app/paths.ts';
import { Field } from '../../components/field.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import { RecordView } from './record-view.tsx';

/** The records of a projection, ordered by key. The key and the cursor are in the address. */
export function Records({ projection }: { readonly projection: Projection }) {
  const { id, spaceId, position, state, records, updatedAt } = projection;
  const { query } = useLocation();
  const { key = '', after } = query;
  const [text, setText] = useQueryDraft(key);
  const path = projectionPath(spaceId, id);
  const filter = useFilter(path);
  const { data, problem, reload } = useLoaded(`records ${id} ${key} ${after}`, () =>
    client.projections.records(
      id,
      { ...(key !== '' && { key }), ...(after && { after }) },
      { spaceId },
    ),
  );
  useEffect(reload, [position, state, records, updatedAt]);
  const isOutdated = useFirstPageInstead(problem);
  return (
    <section aria-labelledby="records" class="stack">
      <h2 id="records">{t('Records')}</h2>
      <search>
        <form class="row" onSubmit={submits(() => filter({ key: text }))}>
          <Field label={t('Key')} type="search" maxLength={500} value={text} onValue={setText} />
          <button type="submit">{t('Filter')}</button>
        </form>
      </search>
      {problem !== null && !isOutdated && <ProblemNote problem={problem} />}
      {data === undefined && (problem === null || isOutdated) && <LoadingNote />}
      {data?.items.length === 0 && (
        <p class="empty">
          {key === ''
            ? t('There is no record yet. Records appear when events match the definition.')
            : t('No record has this key.')}
        </p>
      )}
      {data?.items.map((record) => (
        <RecordView key={record.key} spaceId={spaceId} record={record} />
      ))}
      <p class="pager">
        {after && <a href={withQuery(path, { key })}>{t('First page')}</a>}
        {data?.next && <a href={withQuery(path, { key, after: data.next })}>{t('Next page')}</a>}
      </p>
    </section>
  );
}
