import type { FoundPassage, SearchRequest } from '@gatehouse/contract';
import { parse as parseFilter } from '@gatehouse/filter';
import { highlight, isEmpty, type Query, readQuery } from '../../lib/text/index.ts';
import type { KnowledgeEngine, KnowledgeScope, RankedPassage } from '../../storage/ports/index.ts';
import { toMetadata } from '../documents/document.rules.ts';
import type { QueryVectors } from '../embeddings/query-vector.service.ts';
import { invalid } from '../knowledge.errors.ts';
import { fuse } from './fusion.rules.ts';
import { narrowed } from './scope.ts';

const DEFAULT_LIMIT = 10;
/** Places of each ranking that count when two are made one. */
const FUSED_PLACES = 50;

/**
 * Looks for passages in a scope, without which there is no way to ask.
 *
 * @param signal aborts when nobody wants the answer any more; then it fails with the signal's reason.
 */
export type SearchPassages = (
  scope: KnowledgeScope,
  request: SearchRequest,
  signal?: AbortSignal,
) => Promise<FoundPassage[]>;

export interface SearchDeps {
  readonly engine: Pick<KnowledgeEngine, 'search' | 'nearest'>;
  /** Null when there is no model. */
  readonly vectorOf: QueryVectors | null;
}

/** Throws 400 for a query without a word, or a filter that cannot be read. A failure is never a partial answer. */
export function createSearch({ engine, vectorOf }: SearchDeps): SearchPassages {
  /**
   * By words, and by what the query means as far as a model says so. A query with a quoted phrase asks for
   * these very words. A model that fails takes nothing away that words find.
   */
  async function find(
    scope: KnowledgeScope,
    query: Query,
    text: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly RankedPassage[]> {
    const byWords = (count: number) => engine.search(scope, query, count, signal);
    if (vectorOf === null || query.phrases.length > 0) return byWords(limit);
    const nearest = async () => {
      const vector = await vectorOf(text);
      return vector === null ? null : engine.nearest(scope, vector, FUSED_PLACES, signal);
    };
    const [words, near] = await Promise.all([byWords(Math.max(limit, FUSED_PLACES)), nearest()]);
    return near === null ? words.slice(0, limit) : fuse([words, near], limit);
  }

  return async (scope, { query: text, filter, limit = DEFAULT_LIMIT }, signal) => {
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
    const hits = await find(within, query, text, limit, signal);
    return hits.map((hit, place) => toFound(hit, query, place));
  };
}

function toFound(hit: RankedPassage, query: Query, place: number): FoundPassage {
  const { snippet, ranges } = highlight(hit.text, query);
  return {
    documentId: hit.documentId,
    fileName: hit.fileName,
    position: hit.position,
    heading: hit.heading,
    text: hit.text,
    snippet,
    highlights: ranges.map(([start, end]) => [start, end]),
    // By its place alone: the engine's number, and the relation of two, tell how often hidden texts and
    // those of others have a word.
    score: Math.round(1000 / (place + 1)) / 1000,
    metadata: toMetadata(hit.metadata),
  };
}
