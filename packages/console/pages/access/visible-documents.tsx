import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { formatNumber, rich, t } from '../../translations/translate.ts';
import type { TargetProps } from './target.ts';

/** The number of visible and hidden documents, and the visible ones. */
export function VisibleDocuments({ spaceId, target }: TargetProps) {
  const [after, setAfter] = useState<string | null>(null);
  const { data, problem } = useLoaded(`visible ${after}`, () =>
    client.accessPreview.get(
      { ...target, limit: 20, ...(after === null ? {} : { after }) },
      { spaceId },
    ),
  );
  if (problem !== null) return <ProblemNote problem={problem} />;
  if (data === undefined) return <LoadingNote />;
  const { visible, visibleCount, hiddenCount } = data;
  return (
    <section aria-labelledby="visible">
      <h2 id="visible">{t('Documents')}</h2>
      <p role="status">
        {rich('{visible} visible, {hidden} hidden', {
          visible: <strong>{formatNumber(visibleCount)}</strong>,
          hidden: <strong>{formatNumber(hiddenCount)}</strong>,
        })}
      </p>
      {visibleCount === 0 && <p class="warning">{t('This link shows no document.')}</p>}
      <ul class="documents">
        {visible.items.map(({ id, fileName, title }) => (
          <li key={id}>
            <bdi>{title}</bdi> {title !== fileName && <span class="hint">{fileName}</span>}
          </li>
        ))}
      </ul>
      <p class="pager">
        {after !== null && (
          <button type="button" onClick={() => setAfter(null)}>
            {t('First page')}
          </button>
        )}
        {visible.next !== null && (
          <button type="button" onClick={() => setAfter(visible.next)}>
            {t('Next page')}
          </button>
        )}
      </p>
    </section>
  );
}
