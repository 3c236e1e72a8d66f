import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { submits } from '../../app/forms/submits.ts';
import { useLoaded } from '../../app/loading.ts';
import { linkPath, previewPath } from '../../app/paths.ts';
import { FilterEditor, readFilter } from '../../components/filter-editor.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { shortened } from '../../components/shortened.ts';
import { rich, t } from '../../translations/translate.ts';
import { AskAsLink } from './ask-as-link.tsx';
import { ExplainDocument } from './explain-document.tsx';
import type { Target } from './target.ts';
import { VisibleDocuments } from './visible-documents.tsx';

/** Shows which documents a link or a filter shows, and why it does not show the others. */
export function AccessPage() {
  const { spaceId = '' } = useRoute().params;
  const { query } = useLocation();
  const linkId = query['link'];
  const [filterText, setFilterText] = useState('');
  const [filter, setFilter] = useState<Target | null>(null);
  const read = readFilter(filterText);
  const target = linkId === undefined ? filter : { linkId };
  return (
    <>
      <h1>{t('Access preview')}</h1>
      <p class="hint">
        {t(
          'The documents that a user of a link sees, and for every other document the reason why it is hidden. The filter of the space always applies.',
        )}
      </p>
      {linkId === undefined ? (
        <form
          onSubmit={submits(() => {
            if (read.ok) setFilter({ permissionFilter: read.filter ?? {} });
          })}
        >
          <FilterEditor
            spaceId={spaceId}
            label={t('Permission filter to try')}
            text={filterText}
            onText={setFilterText}
          />
          <button type="submit" class="main" disabled={!read.ok}>
            {t('Show')}
          </button>
        </form>
      ) : (
        <LinkOfPreview spaceId={spaceId} linkId={linkId} />
      )}
      {target !== null && (
        <div key={JSON.stringify(target)}>
          <VisibleDocuments spaceId={spaceId} target={target} />
          <ExplainDocument spaceId={spaceId} target={target} />
          <AskAsLink spaceId={spaceId} target={target} />
        </div>
      )}
    </>
  );
}

function LinkOfPreview({ spaceId, linkId }: { readonly spaceId: string; readonly linkId: string }) {
  const { data: link, problem } = useLoaded(linkId, () => client.links.get(linkId));
  if (problem !== null) return <ProblemNote problem={problem} />;
  return (
    <p>
      {rich('Link of {person}', {
        person: (
          <a href={linkPath(spaceId, linkId)}>
            <bdi>{shortened(link?.sub ?? t('nobody in particular'))}</bdi>
          </a>
        ),
      })}{' '}
      · <a href={previewPath(spaceId)}>{t('Try a filter instead')}</a>
    </p>
  );
}
