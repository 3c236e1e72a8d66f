import Type from 'typebox';
import { Body, EXAMPLE_DOCUMENT_ID, Int, OneOf, SpaceParams, Uuid } from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';
import { Document, exampleDocument } from './document.ts';
import { DocumentParams, Metadata } from './document-fields.ts';

/** The service checks `title` and `url` itself, because the error of a union does not name the violated limit. */
export const DocumentChange = Body(
  {
    title: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          'New title, at most 500 characters. `null`: the title in the file, or else the file name.',
      }),
    ),
    url: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'New URL, at most 2,000 characters. `null`: no URL.',
      }),
    ),
    metadata: Type.Optional(Metadata),
  },
  { description: 'Requires at least one member. Omitted members keep their values.' },
);
export type DocumentChange = Type.Static<typeof DocumentChange>;

const MAX_CHANGED_DOCUMENTS = 1000;

export const DocumentsChange = Body({
  ids: Type.Array(Uuid('ID of a document.'), {
    minItems: 1,
    maxItems: MAX_CHANGED_DOCUMENTS,
    description: 'IDs of at most 1,000 documents.',
  }),
  metadata: Metadata,
});

export const ChangedDocuments = Type.Object({
  changed: Int('Number of documents that have the metadata now. Repeated IDs count once.'),
});

const IS_RECORD = errorOf(
  'knowledge.is-record',
  'This document is a record that a projection derives from events; send an event, or change the projection.',
);

export const changeDocument = operation({
  id: 'changeDocument',
  feature: 'knowledge',
  method: 'PATCH',
  path: '/spaces/{spaceId}/documents/{documentId}',
  summary: 'Change the title, URL or metadata of a document',
  description:
    'Omitted members keep their values. `metadata` replaces all metadata. Changes apply to all requests immediately.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: DocumentParams,
  body: DocumentChange,
  bodyExample: {
    title: 'How to return an order',
    metadata: { department: 'support', audience: ['staff'] },
  },
  responses: { 200: { description: 'The document.', schema: Document, example: exampleDocument } },
  errors: [400, 401, 403, 404, 409],
  errorExamples: { 409: IS_RECORD },
});

export const changeDocuments = operation({
  id: 'changeDocuments',
  feature: 'knowledge',
  method: 'PATCH',
  path: '/spaces/{spaceId}/documents',
  summary: 'Change the metadata of several documents',
  description:
    'Sets the given metadata keys in every document. Other keys keep their values. A value, even an object or a list, is replaced as a whole. The change applies to all documents at the same time, immediately. If a document does not exist, the response is 404 and no document is changed.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  body: DocumentsChange,
  bodyExample: { ids: [EXAMPLE_DOCUMENT_ID], metadata: { audience: ['staff'] } },
  responses: { 200: json('The number of documents.', ChangedDocuments, { changed: 1 }) },
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: {
      message: 'No document with this ID exists, or you may not see it.',
      code: 'knowledge.not-found',
      issues: [{ message: 'ids[0]: No document with this ID exists.' }],
    },
  },
});

export const retryDocument = operation({
  id: 'retryDocument',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/documents/{documentId}/retry',
  summary: 'Index a document again',
  description:
    'Reads the file of a failed document again, after you have fixed the cause of the failure. With `force=true`, also reads the file of a document that is `ready`, such as after an upgrade with a better parser: a document with a key stays searchable until it is indexed, and other documents cannot be found in the meantime. Has no effect on a document that is being indexed.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: DocumentParams,
  query: Type.Object({
    force: Type.Optional(
      OneOf(
        ['true', 'false'],
        '`true`: also indexes a document that is `ready`. Default: `false`.',
      ),
    ),
  }),
  responses: {
    200: json('The document, now in the state `processing` if it is indexed again.', Document, {
      ...exampleDocument,
      state: 'processing',
      passages: 0,
    }),
  },
  errors: [400, 401, 403, 404, 409],
  errorExamples: { 409: IS_RECORD },
});

export const deleteDocument = operation({
  id: 'deleteDocument',
  feature: 'knowledge',
  method: 'DELETE',
  path: '/spaces/{spaceId}/documents/{documentId}',
  summary: 'Delete a document',
  description: 'Searches no longer find the document.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: DocumentParams,
  responses: { 204: { description: 'The document was deleted.' } },
  errors: [400, 401, 403, 404, 409],
  errorExamples: { 409: IS_RECORD },
});
