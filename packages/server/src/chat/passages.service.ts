import { MAX_QUERY_LENGTH } from '@gatehouse/contract';
import type { SearchPassages } from '../knowledge/index.ts';
import type { SourcePassage } from '../ports/answerer.ts';
import type { KnowledgeScope } from '../ports/knowledge-scope.ts';
import { isEmpty, readQuery } from '../text/index.ts';

const MOST_PASSAGES = 8;

/** Looks for passages in one scope, and notes whose they were. Any text is a query; without a word it finds nothing. */
export interface PassageSearch {
  /** @param signal aborts when nobody wants the answer any more; then it fails with the signal's reason. */
  find(query: string, signal: AbortSignal): Promise<SourcePassage[]>;
  /** The documents of all that was found. */
  readonly documents: ReadonlySet<string>;
}

export function passageSearch(search: SearchPassages, scope: KnowledgeScope): PassageSearch {
  const documents = new Set<string>();
  return {
    documents,
    async find(text, signal) {
      const query = text.slice(0, MAX_QUERY_LENGTH);
      if (isEmpty(readQuery(query))) return [];
      const found = await search(scope, { query, limit: MOST_PASSAGES }, signal);
      return found.map(({ documentId, fileName, position, heading, text: passage }) => {
        documents.add(documentId);
        return { documentId, fileName, position, heading, text: passage };
      });
    },
  };
}
