import {
  type AccessExplanation,
  type AccessPreview,
  type ExplainedClause,
  type ExplainRequest,
  MAX_ACTUAL_LENGTH,
  type PreviewRequest,
} from '@gatehouse/contract';
import {
  actualValue,
  type Filter,
  type FilterRecord,
  type Predicate,
  print,
} from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import { type Clock, ThreadScheduler } from '../../lib/scheduling/index.ts';
import type { Links } from '../../links/index.ts';
import { noSuchDocument } from '../documents/document.errors.ts';
import type { Documents } from '../documents/document.service.ts';
import { scopeOfPreview } from '../search/scope.ts';
import { FilterEvaluations } from './filter-evaluations.ts';
import type { PreviewRepository } from './preview.repository.ts';

export interface AccessPreviewDeps {
  readonly documents: Pick<Documents, 'list' | 'count' | 'named'>;
  readonly repository: Pick<PreviewRepository, 'versions' | 'count'>;
  readonly links: Pick<Links, 'preview'>;
  /** Milliseconds. Default: `performance.now`. */
  readonly clock?: Clock;
}

/**
 * Previews of a link's documents for editors. All methods throw 404 if the space has no such link, and 410 if the link has expired or was
 * revoked. They read the documents with the scope that a widget session of the link has.
 */
export interface AccessPreviews {
  list(space: SpaceAccess, request: PreviewRequest): Promise<AccessPreview>;
  /**
   * Throws 404 if the space has no such document, and `StorageTooSlow` if evaluating the filters takes longer than two seconds.
   *
   * @param signal cancels the evaluation, which then rejects with the signal's reason.
   */
  explain(
    space: SpaceAccess,
    request: ExplainRequest,
    signal?: AbortSignal,
  ): Promise<AccessExplanation>;
}

export function createAccessPreviews({
  documents,
  repository,
  links,
  clock,
}: AccessPreviewDeps): AccessPreviews {
  const scheduler = new ThreadScheduler();
  return {
    async list(space, request) {
      const { assistant } = await links.preview(space, request);
      const scope = scopeOfPreview(space, assistant.filters);
      const { limit, after } = request;
      const page = {
        ...(limit === undefined ? {} : { limit }),
        ...(after === undefined ? {} : { after }),
      };
      const visible = await documents.list(scope, page);
      const visibleCount = await documents.count(scope);
      const total = await repository.count(space);
      // A document can be deleted between the two counts.
      return { visible, visibleCount, hiddenCount: Math.max(0, total - visibleCount) };
    },

    async explain(space, request, signal) {
      const { assistant, predicates } = await links.preview(space, request);
      const documentId = request.documentId.toLowerCase();
      const versions = await repository.versions(space, documentId);
      const scope = scopeOfPreview(space, assistant.filters);
      const visible = (await documents.named(scope, [documentId])).has(documentId);
      const { spaceId } = space;
      const evaluations = new FilterEvaluations({ scheduler, spaceId, signal, clock });
      // While a document is being replaced, the explanation is about the version that hides it.
      const record =
        versions.length > 1
          ? await hiddenVersion(scope.filter, versions, evaluations)
          : versions[0];
      if (record === undefined) throw noSuchDocument();
      const clauses: ExplainedClause[] = [];
      for (const predicate of predicates) {
        const holds = await evaluations.accepts(predicate.filter, record);
        clauses.push(await evaluations.run(() => toClause(predicate, record, holds)));
      }
      return { visible, clauses };
    },
  };
}

/** Returns the first version that a filter does not accept. If the filter accepts all versions, returns the first one. */
async function hiddenVersion(
  filter: Filter,
  versions: readonly FilterRecord[],
  evaluations: FilterEvaluations,
): Promise<FilterRecord | undefined> {
  for (const version of versions) if (!(await evaluations.accepts(filter, version))) return version;
  return versions[0];
}

function toClause(
  { pointer, filter }: Predicate,
  record: FilterRecord,
  holds: boolean,
): ExplainedClause {
  const actual = actualValue(filter, record);
  const clause = { path: pointer, filter: print(filter), holds };
  if (actual === undefined) return clause;
  const json = JSON.stringify(actual);
  if (json.length <= MAX_ACTUAL_LENGTH) return { ...clause, actual };
  // A copy, because a slice would keep the whole string in memory.
  const start = Buffer.from(json.slice(0, MAX_ACTUAL_LENGTH)).toString();
  return { ...clause, actual: start, truncated: true };
}
