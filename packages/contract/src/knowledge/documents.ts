import Type from 'typebox';
import {
  Body,
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  FreeObject,
  ListOf,
  ListQuery,
  Nullable,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation, PERMISSIONS } from '../operation.ts';

export const MAX_DOCUMENT_BYTES = 25 * 1024 * 1024;
/** Maximum size of an upload request in bytes. JSON escapes can double the size of a document's text. */
export const MAX_UPLOAD_BYTES = 2 * MAX_DOCUMENT_BYTES;
export const MAX_FILE_NAME_LENGTH = 255;
export const MAX_DOCUMENT_KEY_LENGTH = 512;
export const MAX_TITLE_LENGTH = 500;
export const MAX_DOCUMENT_URL_LENGTH = 2000;

export const DocumentState = Type.Union(
  [Type.Literal('processing'), Type.Literal('ready'), Type.Literal('failed')],
  {
    description:
      'State of indexing the newest version. Searches find a document once one of its versions is `ready`.',
  },
);
export type DocumentState = Type.Static<typeof DocumentState>;

const Language = Text({
  description: 'Language tag (BCP 47), such as `de` or `pt-BR`.',
  minLength: 1,
  maxLength: 35,
});
const FileName = Text({
  description:
    'File name without a path. Its extension determines the format, unless `text`, `html` or `markdown` is given.',
  minLength: 1,
  maxLength: MAX_FILE_NAME_LENGTH,
});
const Title = Text({
  description:
    'Title that citations show. Default: the title in the file, such as the `<title>` of HTML, or else the file name. White space is collapsed, and control characters are removed.',
  minLength: 1,
  maxLength: MAX_TITLE_LENGTH,
});
const DocumentUrl = Text({
  description:
    'Absolute `http` or `https` URL that citations link to, without user name and password.',
  minLength: 1,
  maxLength: MAX_DOCUMENT_URL_LENGTH,
});
const Metadata = FreeObject(
  'Metadata for filters: any JSON object of at most 64 KiB. Keys must not be empty or contain a dot. The top-level keys `fileName`, `mimeType`, `language`, `createdAt`, `updatedAt`, `and`, `or`, `not` and `search` are reserved.',
);

export const Document = Type.Object({
  id: Uuid('ID of the document.'),
  spaceId: Uuid('ID of the space.'),
  key: Nullable(
    Type.String({ description: 'Key of the document. `null`: it was created without a key.' }),
  ),
  fileName: Type.String({ description: 'File name without a path.' }),
  mimeType: Type.String({ description: 'Media type of the file.' }),
  language: Nullable(
    Type.String({ description: 'Language tag from the upload or from the file (BCP 47).' }),
  ),
  title: Type.String({
    description:
      'Title that citations show: the given title, or else the title in the file, or else the file name. A title in the file is known once the document is `ready`.',
  }),
  url: Nullable(Type.String({ description: 'URL that citations link to.' })),
  bytes: Type.Integer({ description: 'Size of the file in bytes.' }),
  state: DocumentState,
  failure: Nullable(
    Type.String({ description: 'Reason for the state `failed`. `null` in other states.' }),
  ),
  passages: Type.Integer({
    description: 'Number of passages. `0` until the document is `ready`.',
  }),
  metadata: Metadata,
  createdAt: Timestamp('Time of the upload.'),
  updatedAt: Timestamp('Time of the last change.'),
});
export type Document = Type.Static<typeof Document>;

export const NewDocument = Body(
  {
    fileName: FileName,
    text: Type.Optional(Type.String({ description: 'Plain text.' })),
    html: Type.Optional(Type.String({ description: 'HTML.' })),
    markdown: Type.Optional(Type.String({ description: 'Markdown.' })),
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
  metadata: Type.Optional(Type.String({ description: 'Metadata as JSON text.' })),
  title: Type.Optional(Title),
  url: Type.Optional(DocumentUrl),
  language: Type.Optional(Language),
});

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

export const MAX_CHANGED_DOCUMENTS = 1000;

export const DocumentsChange = Body({
  ids: Type.Array(Uuid('ID of a document.'), {
    minItems: 1,
    maxItems: MAX_CHANGED_DOCUMENTS,
    description: 'IDs of at most 1,000 documents.',
  }),
  metadata: Metadata,
});
export type DocumentsChange = Type.Static<typeof DocumentsChange>;

export const ChangedDocuments = Type.Object({
  changed: Type.Integer({
    description: 'Number of documents that have the metadata now. Repeated IDs count once.',
  }),
});

export const Passage = Type.Object({
  position: Type.Integer({ description: 'Index of the passage in the document, from 0.' }),
  heading: Nullable(Type.String({ description: 'Headings above the passage, joined by ` › `.' })),
  text: Type.String({ description: 'Text of the passage.' }),
});
export type Passage = Type.Static<typeof Passage>;

export const DocumentList = ListOf(Document);
export const PassageList = ListOf(Passage);

export const exampleDocument = {
  id: EXAMPLE_DOCUMENT_ID,
  spaceId: EXAMPLE_SPACE_ID,
  key: null,
  fileName: 'returns.md',
  mimeType: 'text/markdown',
  language: 'en',
  title: 'Returns',
  url: 'https://shop.example/help/returns',
  bytes: 2314,
  state: 'ready' as const,
  failure: null,
  passages: 4,
  metadata: { department: 'support', audience: ['customer', 'staff'] },
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
};
export const examplePassage = {
  position: 1,
  heading: 'Returns › Refunds',
  text: 'A refund reaches your account within five days after we receive the parcel.',
};

const SpaceParams = Type.Object({ spaceId: Uuid('ID of the space.') });
const DocumentParams = Type.Object({
  spaceId: Uuid('ID of the space.'),
  documentId: Uuid('ID of the document.'),
});
const VISIBILITY = 'A widget session sees only the documents that the filters of its link permit.';

export const createDocument = operation({
  id: 'createDocument',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/documents',
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
  answers: {
    200: {
      description: 'The existing document with the same name and content.',
      schema: Document,
      example: exampleDocument,
    },
    201: {
      description: 'The created document in the state `processing`.',
      schema: Document,
      example: { ...exampleDocument, state: 'processing', passages: 0, title: 'returns.md' },
      headers: {
        Location: { description: 'Path of the document.', schema: Type.String() },
      },
    },
  },
  errors: [400, 401, 403, 413, 415, 503],
  errorExamples: {
    415: {
      message:
        'This content type is not supported; send application/json or multipart/form-data in UTF-8.',
      code: 'http.media-type-unsupported',
    },
  },
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
    spaceId: Uuid('ID of the space.'),
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
  answers: {
    200: {
      description: 'The replaced document.',
      schema: Document,
      example: { ...exampleDocument, key: 'wiki/returns', state: 'processing' },
    },
    201: {
      description: 'The created document in the state `processing`.',
      schema: Document,
      example: {
        ...exampleDocument,
        key: 'wiki/returns',
        state: 'processing',
        passages: 0,
        title: 'returns.md',
      },
      headers: {
        Location: { description: 'Path of the document.', schema: Type.String() },
      },
    },
  },
  errors: [400, 401, 403, 413, 415, 503],
  errorExamples: {
    415: {
      message:
        'This content type is not supported; send application/json or multipart/form-data in UTF-8.',
      code: 'http.media-type-unsupported',
    },
  },
});

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
  query: Type.Object({ ...ListQuery, state: Type.Optional(DocumentState) }),
  answers: {
    200: {
      description: 'Documents, oldest first.',
      schema: DocumentList,
      example: { items: [exampleDocument], next: null },
    },
  },
  errors: [400, 401, 403, 410],
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
  answers: { 200: { description: 'The document.', schema: Document, example: exampleDocument } },
  errors: [400, 401, 403, 404, 410],
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
  answers: {
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
  errors: [400, 401, 403, 404, 410],
});

export const listPassages = operation({
  id: 'listPassages',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/documents/{documentId}/passages',
  summary: 'List the passages of a document',
  permission: PERMISSIONS.view,
  description: VISIBILITY,
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
  answers: {
    200: {
      description: 'Passages in the order of the document.',
      schema: PassageList,
      example: { items: [examplePassage], next: null },
    },
  },
  errors: [400, 401, 403, 404, 410],
});

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
  answers: { 200: { description: 'The document.', schema: Document, example: exampleDocument } },
  errors: [400, 401, 403, 404],
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
  answers: {
    200: {
      description: 'The number of documents.',
      schema: ChangedDocuments,
      example: { changed: 1 },
    },
  },
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: {
      message: 'No document with this ID exists, or you may not see it.',
      code: 'knowledge.not-found',
      issues: [{ message: 'ids[0]: No document with this ID exists.' }],
    },
  },
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
  answers: { 204: { description: 'The document was deleted.' } },
  errors: [400, 401, 403, 404],
});
