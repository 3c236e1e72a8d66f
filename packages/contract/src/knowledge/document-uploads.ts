import Type from 'typebox';
import { Body, SpaceParams, Str, Text } from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';
import { Document, exampleDocument } from './document.ts';
import { DocumentUrl, FileName, Language, Metadata, Title } from './document-fields.ts';

export const MAX_DOCUMENT_BYTES = 25 * 1024 * 1024;
/** Maximum size of an upload request in bytes. JSON escapes can double the size of a document's text. */
export const MAX_UPLOAD_BYTES = 2 * MAX_DOCUMENT_BYTES;
const MAX_DOCUMENT_KEY_LENGTH = 512;

export const NewDocument = Body(
  {
    fileName: FileName,
    text: Type.Optional(Str('Plain text.')),
    html: Type.Optional(Str('HTML.')),
    markdown: Type.Optional(Str('Markdown.')),
    title: Type.Optional(Title),
    url: Type.Optional(DocumentUrl),
    language: Type.Optional(Language),
    metadata: Type.Optional(Metadata),
  },
  { description: 'Requires exactly one of `text`, `html` and `markdown`.' },
);
export type NewDocument = Type.Static<typeof NewDocument>;

export const DocumentParts = Body({
  file: Type.String({ format: 'binary', description: 'The file with its name.' }),
  metadata: Type.Optional(Str('Metadata as JSON text.')),
  title: Type.Optional(Title),
  url: Type.Optional(DocumentUrl),
  language: Type.Optional(Language),
});

const LOCATION = { Location: { description: 'Path of the document.', schema: Type.String() } };
const UPLOAD_ERRORS = {
  415: errorOf(
    'http.media-type-unsupported',
    'This content type is not supported; send application/json or multipart/form-data in UTF-8.',
  ),
};

export const createDocument = operation({
  id: 'createDocument',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/documents',
  idempotent: true,
  summary: 'Upload a document',
  description:
    'Accepts plain text, Markdown, HTML, CSV, JSON, PDF and DOCX files of up to 25 MiB. A 201 response means that the file is stored durably; `state` then shows the progress of indexing. If a document with the same name and content exists, the response is 200, and any title, URL, metadata and language in the request replace those of the document. If the format in the request differs, such as `html` instead of `text`, the document is indexed again.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  body: NewDocument,
  otherBodies: {
    'multipart/form-data': {
      schema: DocumentParts,
      example: {
        file: '# Returns',
        url: 'https://shop.example/help/returns',
        metadata: '{"department":"support"}',
      },
    },
  },
  bodyLimit: MAX_UPLOAD_BYTES,
  bodyExample: {
    fileName: 'returns.md',
    markdown: '# Returns\n\nYou may send anything back within 30 days.',
    url: 'https://shop.example/help/returns',
    metadata: { department: 'support' },
  },
  responses: {
    200: json('The existing document with the same name and content.', Document, exampleDocument),
    201: {
      description: 'The created document in the state `processing`.',
      schema: Document,
      example: {
        ...exampleDocument,
        state: 'processing',
        passages: 0,
        title: 'returns.md',
        givenTitle: null,
      },
      headers: LOCATION,
    },
  },
  errors: [400, 401, 403, 413, 415, 503],
  errorExamples: UPLOAD_ERRORS,
});

export const putDocument = operation({
  id: 'putDocument',
  feature: 'knowledge',
  method: 'PUT',
  path: '/spaces/{spaceId}/documents/by-key/{key}',
  summary: 'Create or replace the document with a key',
  description:
    'Accepts the same bodies as an upload. Omitted members are reset. Until the new version is indexed, searches find the previous version, but only with links whose filters also permit the new version. If the text of the new version cannot be extracted, searches keep finding the previous version under the same restriction, and the document has the state `failed` with the reason. A document with a key is independent of uploads with the same content and of document events.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: Type.Object({
    ...SpaceParams.properties,
    key: Text({
      description:
        'Key of the document in your system, percent-encoded. `/` is encoded as `%2F`. URL libraries remove the keys `.` and `..`.',
      minLength: 1,
      maxLength: MAX_DOCUMENT_KEY_LENGTH,
    }),
  }),
  paramsExample: { key: 'wiki/returns' },
  body: NewDocument,
  otherBodies: {
    'multipart/form-data': {
      schema: DocumentParts,
      example: { file: '# Returns', metadata: '{"department":"support"}' },
    },
  },
  bodyLimit: MAX_UPLOAD_BYTES,
  bodyExample: {
    fileName: 'returns.md',
    markdown: '# Returns\n\nYou may send anything back within 60 days.',
    metadata: { department: 'support' },
  },
  responses: {
    200: json('The replaced document.', Document, {
      ...exampleDocument,
      key: 'wiki/returns',
      state: 'processing',
    }),
    201: {
      description: 'The created document in the state `processing`.',
      schema: Document,
      example: {
        ...exampleDocument,
        key: 'wiki/returns',
        state: 'processing',
        passages: 0,
        title: 'returns.md',
        givenTitle: null,
      },
      headers: LOCATION,
    },
  },
  errors: [400, 401, 403, 413, 415, 503],
  errorExamples: UPLOAD_ERRORS,
});
