import Type from 'typebox';
import { Bool } from '../common.ts';
import { exampleLink, Link } from '../links/links.ts';
import { json, operation, PERMISSIONS } from '../operation.ts';
import { DocumentParams } from './document-fields.ts';

/** Maximum number of active links that one request examines. */
export const MAX_EXAMINED_LINKS = 1000;

export const DocumentLinks = Type.Object({
  items: Type.Array(Link, { description: 'Links that show the document, newest first.' }),
  examined: Type.Integer({
    minimum: 0,
    description: 'Number of active links that were examined.',
  }),
  isComplete: Bool('`false`: the space has older links that were not examined.'),
});
export type DocumentLinks = Type.Static<typeof DocumentLinks>;

export const listDocumentLinks = operation({
  id: 'listDocumentLinks',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/documents/{documentId}/links',
  summary: 'List the links that show a document',
  description:
    'Examines the newest 1,000 active links of the space. Active links older than its newest 20,000 links are not examined. The filter of the space always applies. While a document is being replaced, only links whose filters permit both versions show it.',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: DocumentParams,
  responses: {
    200: json('Links that show the document.', DocumentLinks, {
      items: [exampleLink],
      examined: 12,
      isComplete: true,
    }),
  },
  errors: [400, 401, 403, 404],
});
