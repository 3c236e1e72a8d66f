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
import { operation } from '../operation.ts';

/** The largest original, in bytes. */
export const MAX_DOCUMENT_BYTES = 25 * 1024 * 1024;
/** The largest body of an upload: JSON escapes may double a text, and multipart has heads of its own. */
export const MAX_UPLOAD_BYTES = 2 * MAX_DOCUMENT_BYTES;
export const MAX_FILE_NAME_LENGTH = 255;

export const DocumentState = Type.Union(
  [Type.Literal('processing'), Type.Literal('ready'), Type.Literal('failed')],
  { description: 'Only a document that is `ready` is found by a search, and then all of it.' },
);
export type DocumentState = Type.Static<typeof DocumentState>;

const Language = Text({
  description: 'Language tag (BCP 47) such as `de` or `pt-BR`.',
  minLength: 1,
  maxLength: 35,
});
const FileName = Text({
  description: 'A name without a path; with `text`, `html` or `markdown` its ending is free.',
  minLength: 1,
  maxLength: MAX_FILE_NAME_LENGTH,
});
const Metadata = FreeObject(
  'What filters look at: any JSON, 64 KiB at most. Keys are not empty and have no dot; at the outermost level `fileName`, `mimeType`, `language`, `createdAt`, `updatedAt`, `and`, `or`, `not` and `search` are refused.',
);

export const Document = Type.Object({
  id: Uuid('The document.'),
  spaceId: Uuid('The space.'),
  fileName: Type.String(),
  mimeType: Type.String(),
  language: Nullable(Type.String({ description: 'As given at upload, or as the file says.' })),
  title: Nullable(Type.String({ description: 'As the file says.' })),
  bytes: Type.Integer({ description: 'Size of the original.' }),
  state: DocumentState,
  failure: Nullable(Type.String({ description: 'Why it failed; null otherwise.' })),
  passages: Type.Integer({ description: 'How many passages can be found; 0 until it is ready.' }),
  metadata: Metadata,
  createdAt: Timestamp('When it was uploaded.'),
  updatedAt: Timestamp('When it last changed.'),
});
export type Document = Type.Static<typeof Document>;

export const NewDocument = Body(
  {
    fileName: FileName,
    text: Type.Optional(Type.String({ description: 'Plain text.' })),
    html: Type.Optional(Type.String({ description: 'HTML.' })),
    markdown: Type.Optional(Type.String({ description: 'Markdown.' })),
    language: Type.Optional(Language),
    metadata: Type.Optional(Metadata),
  },
  { description: 'With exactly one of `text`, `html` and `markdown`.' },
);
export type NewDocument = Type.Static<typeof NewDocument>;

/** The parts of a multipart upload. */
export const DocumentParts = Body({
  file: Type.String({ format: 'binary', description: 'The file, with its name.' }),
  metadata: Type.Optional(Type.String({ description: 'The metadata as JSON text.' })),
  language: Type.Optional(Language),
});

export const DocumentChange = Body({ metadata: Metadata });

export const Passage = Type.Object({
  position: Type.Integer({ description: 'Place in the document, from 0.' }),
  heading: Nullable(Type.String({ description: 'The headings it stands under, joined by ` › `.' })),
  text: Type.String(),
});
export type Passage = Type.Static<typeof Passage>;

export const exampleDocument = {
  id: EXAMPLE_DOCUMENT_ID,
  spaceId: EXAMPLE_SPACE_ID,
  fileName: 'returns.md',
  mimeType: 'text/markdown',
  language: 'en',
  title: 'Returns',
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
  text: 'A refund reaches your account within five days after we have the parcel.',
};

const SpaceParams = Type.Object({ spaceId: Uuid('The space.') });
const DocumentParams = Type.Object({
  spaceId: Uuid('The space.'),
  documentId: Uuid('The document.'),
});
const OfWidget =
  'With a widget session the link’s filters decide what there is: what they hide is not there.';

export const createDocument = operation({
  id: 'createDocument',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/documents',
  summary: 'Put a document in (edit rights, or a key with `knowledge:write`)',
  description:
    'Text, Markdown, HTML, CSV, JSON, PDF or DOCX, 25 MiB at most. 201 means: on disk; its text is read next, see `state`. The same bytes under the same name are one document: 200, and the metadata is what came last; sent as another kind, such as `html` that was `text`, it is read anew.',
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
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
    markdown: '# Returns\n\nYou may send anything back within 30 days.',
    metadata: { department: 'support' },
  },
  answers: {
    200: {
      description: 'It is there already.',
      schema: Document,
      example: exampleDocument,
    },
    201: {
      description: 'The document, `processing`.',
      schema: Document,
      example: { ...exampleDocument, state: 'processing', passages: 0, title: null },
      headers: {
        Location: { description: 'The document.', schema: Type.String() },
      },
    },
  },
  errors: [400, 401, 403, 413, 415, 503],
});

export const listDocuments = operation({
  id: 'listDocuments',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/documents',
  summary: 'List documents (any role, a key with `read`, or a widget session)',
  description: OfWidget,
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: SpaceParams,
  query: Type.Object({ ...ListQuery, state: Type.Optional(DocumentState) }),
  answers: {
    200: {
      description: 'Documents, oldest first.',
      schema: ListOf(Document),
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
  summary: 'Show a document (any role, a key with `read`, or a widget session)',
  description: OfWidget,
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
  summary: 'Download the original (any role, a key with `read`, or a widget session)',
  description: `${OfWidget} Always an attachment, so that no browser runs what is in it.`,
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: DocumentParams,
  answers: {
    200: {
      description: 'The bytes that were uploaded.',
      mediaType: 'application/octet-stream',
      example: '# Returns',
      headers: {
        'Content-Disposition': {
          description: '`attachment`, with the name.',
          schema: Type.String(),
        },
        'Content-Security-Policy': { description: '`sandbox`', schema: Type.String() },
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
  summary:
    'Read a document’s text, passage by passage (any role, a key with `read`, or a widget session)',
  description: OfWidget,
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: DocumentParams,
  query: Type.Object({
    ...ListQuery,
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'The passage to begin with, from 0; `after` has precedence.',
      }),
    ),
  }),
  answers: {
    200: {
      description: 'Passages in the order of the document.',
      schema: ListOf(Passage),
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
  summary: 'Replace a document’s metadata (edit rights, or a key with `knowledge:write`)',
  description: 'Holds for the very next request of everybody.',
  credentials: ['session', 'apiKey'],
  params: DocumentParams,
  body: DocumentChange,
  bodyExample: { metadata: { department: 'support', audience: ['staff'] } },
  answers: { 200: { description: 'The document.', schema: Document, example: exampleDocument } },
  errors: [400, 401, 403, 404],
});

export const deleteDocument = operation({
  id: 'deleteDocument',
  feature: 'knowledge',
  method: 'DELETE',
  path: '/spaces/{spaceId}/documents/{documentId}',
  summary: 'Delete a document (edit rights, or a key with `knowledge:write`)',
  credentials: ['session', 'apiKey'],
  params: DocumentParams,
  answers: { 204: { description: 'It is gone, and no search finds it.' } },
  errors: [400, 401, 403, 404],
});
