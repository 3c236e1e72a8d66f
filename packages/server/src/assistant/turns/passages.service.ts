import { MAX_QUERY_LENGTH } from '@gatehouse/contract';
import type { SearchPassages } from '../../knowledge/index.ts';
import { isEmpty, readQuery } from '../../lib/text/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { SourcePassage } from '../answerer.ts';
import { type UsedDocument, usedDocument } from '../conversations/visible-answers.service.ts';

const MAX_PASSAGES = 8;

/** Searches passages in the current scope and records the documents of the results. A query without words finds nothing. */
export interface PassageSearch {
  /** Starts a search in advance. The next `find` with the same text returns the result. */
  prefetch(query: string, scope: KnowledgeScope): void;
  abandon(): void;
  /** @throws `signal.reason` if the signal aborts. */
  find(query: string, signal: AbortSignal): Promise<SourcePassage[]>;
  readonly documents: ReadonlySet<UsedDocument>;
}

interface Prefetched {
  readonly text: string;
  readonly found: Promise<SourcePassage[]>;
  readonly ending: AbortController;
}

/** @param currentScope returns the scope of the next search, because the filter of the space can change during an answer. */
export function passageSearch(
  search: SearchPassages,
  currentScope: () => Promise<KnowledgeScope>,
): PassageSearch {
  const documents = new Set<UsedDocument>();
  let prefetched: Prefetched | null = null;

  async function searchPassages(
    text: string,
    signal: AbortSignal,
    scope?: KnowledgeScope,
  ): Promise<SourcePassage[]> {
    const query = text.slice(0, MAX_QUERY_LENGTH);
    if (isEmpty(readQuery(query))) return [];
    const found = await search(
      scope ?? (await currentScope()),
      { query, limit: MAX_PASSAGES },
      signal,
    );
    return found.map(({ documentId, fileName, position, heading, ...hit }) => {
      documents.add(usedDocument(documentId, hit.updatedAt));
      const kind = hit.projectionId === null ? {} : { isRecord: true };
      return { documentId, fileName, position, heading, text: hit.text, ...kind };
    });
  }

  return {
    documents,
    prefetch(text, scope) {
      const ending = new AbortController();
      const found = searchPassages(text, ending.signal, scope);
      // `find` reports a rejection. If `find` is never called, the rejection must not count as unhandled.
      found.catch(() => {});
      prefetched = { text, found, ending };
    },
    abandon() {
      prefetched?.ending.abort();
      prefetched = null;
    },
    find(text, signal) {
      const early = prefetched?.text === text ? prefetched : null;
      if (early === null) return searchPassages(text, signal);
      prefetched = null;
      const stop = () => early.ending.abort(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      return early.found;
    },
  };
}
