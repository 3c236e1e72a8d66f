import {
  type AccessExplanation,
  type AccessPreview,
  type ExplainedClause,
  type ExplainRequest,
  MAX_ACTUAL_LENGTH,
  type PreviewRequest,
} from '@gatehouse/contract';
import { actualValue, evaluate, type FilterRecord, type Predicate, print } from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import type { Links } from '../../links/index.ts';
import { noSuchDocument } from '../documents/document.errors.ts';
import type { Documents } from '../documents/document.service.ts';
import { scopeOfPreview, scopeOfSpace } from '../search/scope.ts';
import type { PreviewRepository } from './preview.repository.ts';

export interface AccessPreviewDeps {
  readonly documents: Pick<Documents, 'list' | 'count' | 'named'>;
  readonly repository: Pick<PreviewRepository, 'versions'>;
  readonly links: Pick<Links, 'preview'>;
}

/**
 * Shows an editor what a link shows. All methods throw 404 if the space has no such link, and 410 if the link has expired or was
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
      const total = await documents.count(scopeOfSpace(space));
      // A document can be deleted between the two counts.
      return { visible, visibleCount, hiddenCount: Math.max(0, total - visibleCount) };
    },

    async explain(space, request) {
      const { assistant, predicates } = await links.preview(space, request);
      const documentId = request.documentId.toLowerCase();
      const versions = await repository.versions(scopeOfSpace(space), documentId);
      const scope = scopeOfPreview(space, assistant.filters);
      const visible = (await documents.named(scope, [documentId])).has(documentId);
      // While a document is being replaced, the explanation is about the version that hides it.
      const record = versions.find((one) => !evaluate(scope.filter, one)) ?? versions[0];
      if (record === undefined) throw noSuchDocument();
      return { visible, clauses: predicates.map((predicate) => toClause(predicate, record)) };
    },
  };
}

function toClause({ pointer, filter }: Predicate, record: FilterRecord): ExplainedClause {
  const actual = actualValue(filter, record);
  const clause = { path: pointer, filter: print(filter), holds: evaluate(filter, record) };
  if (actual === undefined) return clause;
  const json = JSON.stringify(actual);
  if (json.length <= MAX_ACTUAL_LENGTH) return { ...clause, actual };
  return { ...clause, actual: json.slice(0, MAX_ACTUAL_LENGTH).toWellFormed(), truncated: true };
}
