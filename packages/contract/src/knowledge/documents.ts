import Type from 'typebox';
import {
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  SpaceParams,
  Str,
  Text,
  TOO_MANY_READS,
} from '../common.ts';
import { jsonPage, operation, PERMISSIONS } from '../operation.ts';
import { Document, DocumentState, exampleDocument } from './document.ts';
import { DocumentParams } from './document-fields.ts';

export const Passage = Type.Object({
  position: Int('Index of the passage in the document, from 0.'),
  heading: Nullable(Str('Headings above the passage, joined by ` › `.')),
  text: Str('Text of the passage.'),
});
export type Passage = Type.Static<typeof Passage>;

export const DocumentList = ListOf(Document);
export const PassageList = ListOf(Passage);

export const examplePassage = {
  position: 1,
  heading: 'Returns › Refunds',
  text: 'A refund reaches your account within five days after we receive the parcel.',
};

const VISIBILITY =
  'A widget session sees only the documents that the filters of its space and link permit.';

export const listDocuments = operation({
  id: 'listDocuments',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/documents',
  summary: 'List documents',
  permission: PERMISSIONS.view,
  description: VISIBILITY,
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: SpaceParams,
  query: Type.Object({
    ...ListQuery,
    state: Type.Optional(DocumentState),
    fileName: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 255,
        description: 'Only documents with this file name. Exact match.',
      }),
    ),
    search: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 200,
        description:
          'Only documents whose file name, or any string in their metadata, contains this text. Case-insensitive. Except for widget sessions, a page examines at most 100,000 documents, so it can be short or empty although `next` is not `null`.',
      }),
    ),
    order: Type.Optional(
      OneOf(
        ['oldest', 'newest'],
        'Order of the documents by the time when they were added. Default `oldest`. A cursor `next` is valid only with the order of its page.',
      ),
    ),
  }),
  responses: {
    200: jsonPage('Documents, oldest first, or newest first with `order=newest`.', DocumentList, [
      exampleDocument,
    ]),
  },
  errors: [400, 401, 403, 410, 429],
  errorExamples: { 429: TOO_MANY_READS },
});

export const showDocument = operation({
  id: 'showDocument',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/documents/{documentId}',
  summary: 'Get a document',
  permission: PERMISSIONS.view,
  description: VISIBILITY,
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: DocumentParams,
  responses: { 200: { description: 'The document.', schema: Document, example: exampleDocument } },
  errors: [400, 401, 403, 404, 410, 429],
  errorExamples: { 429: TOO_MANY_READS },
});

export const downloadDocument = operation({
  id: 'downloadDocument',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/documents/{documentId}/content',
  summary: 'Download the file of a document',
  permission: PERMISSIONS.view,
  description: `${VISIBILITY} The response is always an attachment, so browsers do not execute its content.`,
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: DocumentParams,
  responses: {
    200: {
      description: 'The uploaded file.',
      mediaType: 'application/octet-stream',
      example: '# Returns',
      headers: {
        'Content-Disposition': {
          description: '`attachment` with the file name.',
          schema: Type.String(),
        },
        'Content-Security-Policy': { description: 'Always `sandbox`.', schema: Type.String() },
      },
    },
  },
  errors: [400, 401, 403, 404, 410, 429],
  errorExamples: { 429: TOO_MANY_READS },
});

export const listPassages = operation({
  id: 'listPassages',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/documents/{documentId}/passages',
  summary: 'List the passages of a document',
  permission: PERMISSIONS.view,
  description: `${VISIBILITY} Pages on other origins may call this operation, so it accepts a console session only if the browser sends \`Sec-Fetch-Site: same-origin\`.`,
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: DocumentParams,
  query: Type.Object({
    ...ListQuery,
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Index of the first passage to return, from 0. `after` takes precedence.',
      }),
    ),
  }),
  responses: {
    200: jsonPage('Passages in the order of the document.', PassageList, [examplePassage]),
  },
  errors: [400, 401, 403, 404, 410, 429],
  errorExamples: { 429: TOO_MANY_READS },
});
