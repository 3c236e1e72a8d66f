import {
  explainAccess,
  listDocumentLinks,
  listMetadataFields,
  previewAccess,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import type { Access } from '../../identity/index.ts';
import type { AccessPreviews } from './access-preview.service.ts';
import type { ListDocumentLinks } from './document-links.service.ts';
import type { ListMetadataFields } from './metadata-fields.service.ts';
import { previewTargetIssues } from './preview-target.rules.ts';

const EDIT = { role: 'editor' } as const;

export interface AccessPreviewRoutesDeps {
  readonly access: Pick<Access, 'user' | 'space'>;
  readonly previews: AccessPreviews;
  readonly metadataFields: ListMetadataFields;
  readonly documentLinks: ListDocumentLinks;
}

export function registerAccessPreviewRoutes(
  app: FastifyInstance,
  { access, previews, metadataFields, documentLinks }: AccessPreviewRoutesDeps,
): void {
  route(app, previewAccess, {
    caller: (request) => access.user(request),
    rules: previewTargetIssues,
    async handle({ caller, params, body }) {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await previews.list(space, body) };
    },
  });

  route(app, explainAccess, {
    caller: (request) => access.user(request),
    rules: previewTargetIssues,
    async handle({ caller, params, body, gone }) {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await previews.explain(space, body, gone()) };
    },
  });

  route(app, listDocumentLinks, {
    caller: (request) => access.user(request),
    async handle({ caller, params, gone }) {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await documentLinks(space, params.documentId, gone()) };
    },
  });

  route(app, listMetadataFields, {
    caller: (request) => access.user(request),
    async handle({ caller, params, query }) {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await metadataFields(space, query) };
    },
  });
}
