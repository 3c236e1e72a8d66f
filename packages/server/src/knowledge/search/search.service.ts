import type { FoundPassage, SearchRequest } from '@gatehouse/contract';
import { parse as parseFilter } from '@gatehouse/filter';
import { highlight, isEmpty, type Query, readQuery } from '../../lib/text/index.ts';
import type { KnowledgeEngine, KnowledgeScope, RankedPassage } from '../../storage/ports/index.ts';
import { invalid } from '../documents/document.errors.ts';
import { toMetadata } from '../documents/document.rules.ts';
import type { QueryVectors } from '../embeddings/embedding.service.ts';
import { fuse } from './fusion.rules.ts';
import { narrowed } from './scope.ts';

const DEFAULT_LIMIT = 10;
/** Passages of each ranking that are fused. */
const FUSED_PASSAGES = 50;

/**
 * Searches passages in a scope.
 *
 * @param signal cancels the search, which then rejects with the signal's reason.
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

/** Throws 400 for a query without a word or an invalid filter. Never returns a partial result after a failure. */
export function createSearch({ engine, vectorOf }: SearchDeps): SearchPassages {
  /**
   * Ranks by keywords and, if a model is configured, by meaning. A query with a quoted phrase asks for these exact
   * words, so it is ranked by keywords only. If the model fails, keywords alone decide.
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
      return vector === null ? null : engine.nearest(scope, vector, FUSED_PASSAGES, signal);
    };
    const [words, near] = await Promise.all([byWords(Math.max(limit, FUSED_PASSAGES)), nearest()]);
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
    return hits.map((hit, rank) => toFound(hit, query, rank));
  };
}

function toFound(hit: RankedPassage, query: Query, rank: number): FoundPassage {
  const { snippet, ranges } = highlight(hit.text, query);
  return {
    documentId: hit.documentId,
    fileName: hit.fileName,
    position: hit.position,
    heading: hit.heading,
    text: hit.text,
    snippet,
    highlights: ranges.map(([start, end]) => [start, end]),
    // The rank alone: the engine's score would reveal how frequent a word is in hidden documents.
    score: Math.round(1000 / (rank + 1)) / 1000,
    metadata: toMetadata(hit.metadata),
  };
}
