import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Problem } from '../app/client.ts';
import { type Loaded, RowProblemContext, useFirstPageInstead } from '../app/loading.ts';
import { withQuery } from '../app/paths.ts';
import { t } from '../translations/translate.ts';
import { LoadingNote } from './loading-note.tsx';
import { ProblemNote } from './problem-note.tsx';
import { Table } from './table.tsx';

export interface ListProps<T> {
  /** Name of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly page: Loaded<{ readonly items: readonly T[]; readonly next: string | null }>;
  readonly row: (item: T) => ComponentChildren;
  readonly keyOf: (item: T) => string;
  /** Shown instead of the table if the first page is empty: the purpose of the list, and how to fill it. A text becomes a paragraph. */
  readonly empty: ComponentChildren;
  /** Path and query of the page. `after` is the cursor of the page that is shown. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/**
 * A table with cursor pages. The cursor is part of the address, so that back, forward and bookmarks work. A bookmark whose cursor belongs
 * to another filter or order shows the first page.
 */
export function List<T>({ caption, columns, page, row, keyOf, empty, path, query }: ListProps<T>) {
  const { data, problem } = page;
  const address = withQuery(path, query);
  const [ofRow, setOfRow] = useState<{ address: string; problem: Problem | null } | null>(null);
  if (useFirstPageInstead(problem)) return <LoadingNote />;
  if (problem !== null) return <ProblemNote problem={problem} />;
  if (data === undefined) return <LoadingNote />;
  const note = ofRow?.address === address && ofRow.problem !== null && (
    <ProblemNote problem={ofRow.problem} />
  );
  const isFirst = query['after'] === undefined || query['after'] === '';
  if (data.items.length === 0 && isFirst && data.next === null)
    return (
      <>
        {note}
        <div class="empty">{typeof empty === 'string' ? <p>{empty}</p> : empty}</div>
      </>
    );
  return (
    <RowProblemContext.Provider value={(problem) => setOfRow({ address, problem })}>
      {note}
      {data.items.length > 0 ? (
        <Table caption={caption} columns={columns}>
          {data.items.map((item) => (
            <tr key={keyOf(item)}>{row(item)}</tr>
          ))}
        </Table>
      ) : (
        <p class="empty">
          {data.next === null
            ? t('No more entries.')
            : t('No match so far. The next page continues the search.')}
        </p>
      )}
      <p class="pager">
        {!isFirst && (
          <a href={withQuery(path, { ...query, after: undefined })}>{t('First page')}</a>
        )}
        {data.next !== null && (
          <a href={withQuery(path, { ...query, after: data.next })}>{t('Next page')}</a>
        )}
      </p>
    </RowProblemContext.Provider>
  );
}
