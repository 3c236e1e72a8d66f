import {
  type FoundPassage,
  type Issue,
  MAX_QUERY_LENGTH,
  type SearchRequest,
} from '@gatehouse/contract';
import { parse as parseFilter } from '@gatehouse/filter';
import { isObject } from '../../lib/json/index.ts';
import { ThreadScheduler } from '../../lib/scheduling/index.ts';
import { highlight, isEmpty, type Query, readQuery } from '../../lib/text/index.ts';
import type { KnowledgeEngine, KnowledgeScope, RankedPassage } from '../../storage/ports/index.ts';
import { invalid } from '../documents/document.errors.ts';
import { toMetadata } from '../documents/document.rules.ts';
import type { QueryVectors } from '../embeddings/embedding.service.ts';
import { fuse } from './fusion.rules.ts';
import { createReplacementCount } from './replacements.repository.ts';
import { narrowed } from './scope.ts';

const DEFAULT_LIMIT = 10;
/** Maximum number of times that a search is repeated while documents are being replaced. */
const MAX_SEARCHES = 10;
/** Number of passages that each ranking contributes. */
const FUSED_PASSAGES = 50;

/**
 * Searches passages in a scope.
 *
 * @param signal Cancels the search, which then rejects with the signal's reason.
 * @example
 * const passages = await search(scope, { query: 'refund policy', limit: 5 });
 */
export type SearchPassages = (
  scope: KnowledgeScope,
  request: SearchRequest,
  signal?: AbortSignal,
) => Promise<readonly RankedPassage[]>;

export interface SearchDeps {
  readonly engine: Pick<KnowledgeEngine, 'db' | 'admit' | 'charge' | 'search' | 'nearest'>;
  /** `null` if no embedding model is configured. */
  readonly vectorOf: QueryVectors | null;
}

/** Creates the search. It throws 400 for a query without a word or an invalid filter, and never returns partial results. */
export function createSearch({ engine, vectorOf }: SearchDeps): SearchPassages {
  // Parsing a large filter and converting it to SQL can take tens of milliseconds of the event loop.
  const scheduler = new ThreadScheduler();
  const replacements = createReplacementCount(engine.db);

  /** Runs the synchronous part of a search. The scheduler alternates between spaces, and the caller is charged for the CPU time. */
  function runFairly<Result>(scope: KnowledgeScope, work: () => Result): Promise<Awaited<Result>> {
    const result = scheduler.run(scope.spaceId, () => {
      engine.admit(scope);
      const before = process.threadCpuUsage();
      try {
        return work();
      } finally {
        const { user, system } = process.threadCpuUsage(before);
        engine.charge(scope, (user + system) / 1000);
      }
    });
    return result as Promise<Awaited<Result>>;
  }

  /**
   * Ranks by keywords and, if a model is configured, by meaning. A query with a quoted phrase is ranked by keywords only,
   * because it asks for exact words. If the model fails, the search uses keywords only.
   */
  async function find(
    scope: KnowledgeScope,
    query: Query,
    text: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly RankedPassage[]> {
    const byKeywords = (count: number) =>
      runFairly(scope, () => engine.search(scope, query, count, signal));
    // A ranking reads from one snapshot of the store, so it never finds two versions of a document, or neither.
    if (vectorOf === null || query.phrases.length > 0) return byKeywords(limit);
    engine.admit(scope);
    // Before both rankings: while the model is slow, a document that one of them has found could become invisible.
    const vector = await vectorOf(text);
    if (vector === null) return byKeywords(limit);
    return findConsistently(scope, async () => {
      const rankings = await Promise.all([
        byKeywords(Math.max(limit, FUSED_PASSAGES)),
        runFairly(scope, () => engine.nearest(scope, vector, FUSED_PASSAGES, signal)),
      ]);
      return fuse(rankings, limit);
    });
  }

  /**
   * Repeats a search of two rankings during which a new version replaced another one. The rankings read from different snapshots, so together
   * they could find both versions.
   */
  async function findConsistently(
    scope: KnowledgeScope,
    search: () => Promise<readonly RankedPassage[]>,
  ): Promise<readonly RankedPassage[]> {
    for (let attempt = 1; ; attempt += 1) {
      const before = await replacements(scope.spaceId);
      const hits = await search();
      if (attempt === MAX_SEARCHES || (await replacements(scope.spaceId)) === before) return hits;
    }
  }

  return async (scope, { query: text, filter, limit = DEFAULT_LIMIT }, signal) => {
    const query = readQuery(text);
    const parsed = filter === undefined ? null : await runFairly(scope, () => parseFilter(filter));
    const issues = [...queryIssues(query), ...filterIssues(parsed)];
    if (parsed?.ok === false || issues.length > 0) throw invalid(issues);
    const within = parsed === null ? scope : narrowed(scope, parsed.filter);
    return find(within, query, text, limit, signal);
  };
}

/**
 * Returns the passages of a search as the HTTP operation shows them. Finding the snippets takes longer than the rest, so only callers that
 * show them use this function.
 *
 * @param text the query of the search.
 */
export function withSnippets(text: string, passages: readonly RankedPassage[]): FoundPassage[] {
  const query = readQuery(text);
  return passages.map((passage, rank) => toFound(passage, query, rank));
}

/** Returns the problems of a search that its schema does not express. The body may violate the schema. */
export function searchIssues({ query, filter }: Readonly<Record<string, unknown>>): Issue[] {
  const isText = typeof query === 'string' && query.length <= MAX_QUERY_LENGTH;
  return [
    ...(isText ? queryIssues(readQuery(query)) : []),
    ...(isObject(filter) ? filterIssues(parseFilter(filter)) : []),
  ];
}

function queryIssues(query: Query): Issue[] {
  return isEmpty(query) ? [{ message: 'query: must contain a letter or a digit' }] : [];
}

function filterIssues(parsed: ReturnType<typeof parseFilter> | null): Issue[] {
  if (parsed === null || parsed.ok) return [];
  return parsed.problems.map(({ path, message }) => ({
    message: `${path === '' ? 'filter' : `filter.${path}`}: ${message}`,
  }));
}

function toFound(hit: RankedPassage, query: Query, rank: number): FoundPassage {
  const { snippet, ranges } = highlight(hit.text, query);
  return {
    documentId: hit.documentId,
    fileName: hit.fileName,
    title: hit.title,
    url: hit.url,
    position: hit.position,
    heading: hit.heading,
    text: hit.text,
    snippet,
    highlights: ranges.map(([start, end]) => [start, end]),
    // The score depends only on the rank, because the engine's score would reveal the frequency of words in hidden documents.
    score: Math.round(1000 / (rank + 1)) / 1000,
    metadata: toMetadata(hit.metadata),
    projectionId: hit.projectionId,
  };
}
