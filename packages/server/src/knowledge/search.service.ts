import type { FoundPassage, SearchRequest } from '@gatehouse/contract';
import { parse as parseFilter } from '@gatehouse/filter';
import type { KnowledgeEngine, RankedPassage } from '../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../ports/knowledge-scope.ts';
import { highlight, isEmpty, type Query, readQuery } from '../text/index.ts';
import { toMetadata } from './document.rules.ts';
import { invalid } from './knowledge.errors.ts';
import { narrowed } from './scope.ts';

const DEFAULT_LIMIT = 10;

/** Looks for passages in a scope, without which there is no way to ask. */
export type SearchPassages = (
  scope: KnowledgeScope,
  request: SearchRequest,
) => Promise<FoundPassage[]>;

/** Throws 400 for a query without a word, or a filter that cannot be read. A failure is never a partial answer. */
export function createSearch(engine: Pick<KnowledgeEngine, 'search'>): SearchPassages {
  return async (scope, { query: text, filter, limit = DEFAULT_LIMIT }) => {
    const query = readQuery(text);
    const problems =
      filter === undefined ? { ok: true as const, filter: null } : parseFilter(filter);
    const issues = problems.ok
      ? []
      : problems.problems.map(({ path, message }) => ({
          message: `${path === '' ? 'filter' : `filter.${path}`}: ${message}`,
        }));
    if (isEmpty(query)) issues.unshift({ message: 'query: must have a letter or a digit' });
    if (!problems.ok || issues.length > 0) throw invalid(issues);
    const within = problems.filter === null ? scope : narrowed(scope, problems.filter);
    const hits = await engine.search(within, query, limit);
    const best = hits[0]?.score ?? 1;
    return hits.map((hit) => toFound(hit, query, best));
  };
}

function toFound(hit: RankedPassage, query: Query, best: number): FoundPassage {
  const { snippet, ranges } = highlight(hit.text, query);
  return {
    documentId: hit.documentId,
    fileName: hit.fileName,
    position: hit.position,
    heading: hit.heading,
    text: hit.text,
    snippet,
    highlights: ranges.map(([start, end]) => [start, end]),
    // Only in relation to this answer: the engine's own number also tells what others have stored.
    score: best === 0 ? 1 : Math.round((hit.score / best) * 1000) / 1000,
    metadata: toMetadata(hit.metadata),
  };
}
