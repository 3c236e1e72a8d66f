import type { FoundPassage } from '@gatehouse/client';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useFilter, useQueryDraft } from '../../app/forms/query-draft.ts';
import { submits } from '../../app/forms/submits.ts';
import { useLoaded } from '../../app/loading.ts';
import { documentPath, documentSearchPath, documentsPath, withQuery } from '../../app/paths.ts';
import { Field } from '../../components/field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';

const LIMIT = 20;

/** A search in the texts of all documents of the space. The words are in the address. */
export function SearchPage() {
  const { spaceId = '' } = useRoute().params;
  const { query } = useLocation();
  const words = query['q'] ?? '';
  const [text, setText] = useQueryDraft(words);
  const filter = useFilter(documentSearchPath(spaceId));
  return (
    <>
      <p>
        <a href={documentsPath(spaceId)}>{t('Documents')}</a>
      </p>
      <h1>{t('Search in the texts')}</h1>
      <p class="hint">{t('Finds what the assistant would find without the filters of a link.')}</p>
      <search>
        <form class="row" onSubmit={submits(() => filter({ q: text }))}>
          <Field
            isWide
            label={t('Words')}
            type="search"
            required
            maxLength={1000}
            value={text}
            onValue={setText}
          />
          <button type="submit">{t('Search')}</button>
        </form>
      </search>
      {words !== '' && <Results spaceId={spaceId} words={words} />}
    </>
  );
}

function Results({ spaceId, words }: { readonly spaceId: string; readonly words: string }) {
  const { data, problem } = useLoaded(`search ${spaceId} ${words}`, () =>
    client.search({ query: words, limit: LIMIT }, { spaceId }),
  );
  if (problem !== null) return <ProblemNote problem={problem} />;
  if (data === undefined) return <p class="hint">{t('Searching…')}</p>;
  const { items } = data;
  if (items.length === 0) return <p role="status">{t('No passage contains these words.')}</p>;
  return (
    <ul class="found" aria-label={t('Passages that were found')}>
      {items.map((passage) => (
        <li key={`${passage.documentId} ${passage.position}`}>
          <a
            href={withQuery(documentPath(spaceId, passage.documentId), {
              passage: passage.position > 0 ? String(passage.position) : undefined,
            })}
          >
            <bdi>{passage.title}</bdi>
          </a>
          {headingOf(passage) !== '' && (
            <span class="hint">
              {' '}
              <bdi>{headingOf(passage)}</bdi>
            </span>
          )}
          <p class="text" dir="auto">
            <Snippet passage={passage} />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Returns the headings of a passage without the title of the document, which is shown before them. */
function headingOf({ heading, title }: FoundPassage): string {
  if (heading === null || heading === title) return '';
  const start = `${title} › `;
  return heading.startsWith(start) ? heading.slice(start.length) : heading;
}

/** The snippet of a passage with its matching words marked. */
function Snippet({ passage: { snippet, highlights } }: { readonly passage: FoundPassage }) {
  const starts = [0, ...highlights.map(([, end]) => end)];
  return (
    <>
      {starts.map((from, index) => {
        const [start, end] = highlights[index] ?? [snippet.length, snippet.length];
        return (
          <span key={from}>
            {snippet.slice(from, start)}
            {end > start && <mark>{snippet.slice(start, end)}</mark>}
          </span>
        );
      })}
    </>
  );
}
