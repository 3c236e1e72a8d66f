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
  compile,
  evaluate,
  type Filter,
  type FilterRecord,
  type Predicate,
  print,
} from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import { ThreadScheduler } from '../../lib/scheduling/index.ts';
import type { Links } from '../../links/index.ts';
import { noSuchDocument } from '../documents/document.errors.ts';
import type { Documents } from '../documents/document.service.ts';
import { scopeOfPreview } from '../search/scope.ts';
import type { PreviewRepository } from './preview.repository.ts';

export interface AccessPreviewDeps {
  readonly documents: Pick<Documents, 'list' | 'count' | 'named'>;
  readonly repository: Pick<PreviewRepository, 'versions' | 'count'>;
  readonly links: Pick<Links, 'preview'>;
}

/**
 * Previews of a link's documents for editors. All methods throw 404 if the space has no such link, and 410 if the link has expired or was
 * revoked. They read the documents with the scope that a widget session of the link has.
 */
export interface AccessPreviews {
  list(space: SpaceAccess, request: PreviewRequest): Promise<AccessPreview>;
  /** Throws 404 if the space has no such document. */
  explain(space: SpaceAccess, request: ExplainRequest): Promise<AccessExplanation>;
}

export function createAccessPreviews({
  documents,
  repository,
  links,
}: AccessPreviewDeps): AccessPreviews {
  // Evaluating a large filter on large metadata can take a second of the event loop.
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

    async explain(space, request) {
      const { assistant, predicates } = await links.preview(space, request);
      const documentId = request.documentId.toLowerCase();
      const versions = await repository.versions(space, documentId);
      const scope = scopeOfPreview(space, assistant.filters);
      const visible = (await documents.named(scope, [documentId])).has(documentId);
      // While a document is being replaced, the explanation is about the version that hides it.
      const record =
        versions.length > 1
          ? await scheduler.run(space.spaceId, () => hiddenVersion(scope.filter, versions))
          : versions[0];
      if (record === undefined) throw noSuchDocument();
      const clauses: ExplainedClause[] = [];
      for (const predicate of predicates)
        clauses.push(await scheduler.run(space.spaceId, () => toClause(predicate, record)));
      return { visible, clauses };
    },
  };
}

/** Returns the first version that a filter does not accept. If the filter accepts all versions, returns the first one. */
function hiddenVersion(
  filter: Filter,
  versions: readonly FilterRecord[],
): FilterRecord | undefined {
  const accepts = compile(filter);
  const isHidden = (record: FilterRecord) =>
    !accepts({ ...record, metadata: JSON.stringify(record.metadata) });
  return versions.find(isHidden) ?? versions[0];
}

function toClause({ pointer, filter }: Predicate, record: FilterRecord): ExplainedClause {
  const actual = actualValue(filter, record);
  const clause = { path: pointer, filter: print(filter), holds: evaluate(filter, record) };
  if (actual === undefined) return clause;
  const json = JSON.stringify(actual);
  if (json.length <= MAX_ACTUAL_LENGTH) return { ...clause, actual };
  // A copy, because a slice would keep the whole string in memory.
  const start = Buffer.from(json.slice(0, MAX_ACTUAL_LENGTH)).toString();
  return { ...clause, actual: start, truncated: true };
}
