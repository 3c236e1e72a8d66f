import { MAX_QUERY_LENGTH } from '@gatehouse/contract';
import type { SearchPassages } from '../../knowledge/index.ts';
import { isEmpty, readQuery } from '../../lib/text/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { SourcePassage } from '../answerer.ts';

const MOST_PASSAGES = 8;

/** Looks for passages in one scope, and notes whose they were. Any text is a query; without a word it finds nothing. */
export interface PassageSearch {
  /** Begins to look for what the next `find` of the same text gives; meanwhile the question can be kept. */
  begin(query: string): void;
  /** Ends what was begun and will not be asked for. */
  abandon(): void;
  /** @param signal aborts when nobody wants the answer any more; then it fails with the signal's reason. */
  find(query: string, signal: AbortSignal): Promise<SourcePassage[]>;
  /** The documents of all that was found. */
  readonly documents: ReadonlySet<string>;
}

interface Begun {
  readonly text: string;
  readonly found: Promise<SourcePassage[]>;
  readonly ending: AbortController;
}

export function passageSearch(search: SearchPassages, scope: KnowledgeScope): PassageSearch {
  const documents = new Set<string>();
  let begun: Begun | null = null;

  async function look(text: string, signal: AbortSignal): Promise<SourcePassage[]> {
    const query = text.slice(0, MAX_QUERY_LENGTH);
    if (isEmpty(readQuery(query))) return [];
    const found = await search(scope, { query, limit: MOST_PASSAGES }, signal);
    return found.map(({ documentId, fileName, position, heading, text: passage }) => {
      documents.add(documentId);
      return { documentId, fileName, position, heading, text: passage };
    });
  }

  return {
    documents,
    begin(text) {
      const ending = new AbortController();
      const found = look(text, ending.signal);
      // Whoever asks for it hears of a failure; if nobody does, it is none.
      found.catch(() => {});
      begun = { text, found, ending };
    },
    abandon() {
      begun?.ending.abort();
      begun = null;
    },
    find(text, signal) {
      const early = begun?.text === text ? begun : null;
      if (early === null) return look(text, signal);
      begun = null;
      const stop = () => early.ending.abort(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      return early.found;
    },
  };
}
