import {
  explainAccess,
  listDocumentLinks,
  listMetadataFields,
  previewAccess,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../../identity/index.ts';
import type { AccessPreviews } from './access-preview.service.ts';
import type { ListDocumentLinks } from './document-links.service.ts';
import type { ListMetadataFields } from './metadata-fields.service.ts';
import { previewTargetIssues } from './preview-target.rules.ts';

export interface AccessPreviewRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly previews: AccessPreviews;
  readonly metadataFields: ListMetadataFields;
  readonly documentLinks: ListDocumentLinks;
}

export function registerAccessPreviewRoutes(
  app: FastifyInstance,
  { access, previews, metadataFields, documentLinks }: AccessPreviewRoutesDeps,
): void {
  const edit = routesOnSpace(app, access, { role: 'editor' });
  const rules = previewTargetIssues;
  edit(previewAccess, (space, { body }) => previews.list(space, body), { rules });
  // Evaluating costly filters takes up to two seconds, and longer while others evaluate theirs.
  edit(explainAccess, (space, { body, gone }) => previews.explain(space, body, gone()), {
    rules,
    isSlow: true,
  });
  edit(
    listDocumentLinks,
    (space, { params, gone }) => documentLinks(space, params.documentId, gone()),
    { isSlow: true },
  );
  edit(listMetadataFields, (space, { query }) => metadataFields(space, query));
}
