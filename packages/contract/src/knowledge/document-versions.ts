import Type from 'typebox';
import { Body, Bool, EXAMPLE_TIME, Int, Nullable, OneOf, Str, Timestamp } from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';
import { Document, exampleDocument } from './document.ts';
import { DocumentParams, Metadata } from './document-fields.ts';

export const DocumentVersion = Type.Object({
  version: Int('Number of the version. The first version has the number 1.'),
  isCurrent: Bool(
    'Whether this is the newest version. It may not be indexed yet; the state of the document tells.',
  ),
  fileName: Str('File name without a path.'),
  mimeType: Str('Media type of the file.'),
  language: Nullable(Str('Language tag (BCP 47).')),
  title: Str('Title that citations showed.'),
  url: Nullable(Str('URL that citations linked to.')),
  bytes: Int('Size of the file in bytes.'),
  sha256: Str('SHA-256 of the file, hexadecimal.'),
  metadata: Metadata,
  storedAt: Timestamp('Time at which the document got this version.'),
});
export type DocumentVersion = Type.Static<typeof DocumentVersion>;

export const DocumentVersionList = Type.Object({
  items: Type.Array(DocumentVersion, { description: 'At most ten versions, newest first.' }),
});

export const RestoredProperties = OneOf(
  ['current', 'version'],
  'File name, language, title, URL and metadata of the restored document. `current`: the document keeps them, and only its content is restored. `version`: those of the version. Required if the file name, media type, language or metadata of the version differ, because filters can read them and the choice decides who sees the content.',
);
export type RestoredProperties = Type.Static<typeof RestoredProperties>;

export const RestoreRequest = Body({ properties: Type.Optional(RestoredProperties) });

const exampleVersion: DocumentVersion = {
  version: 3,
  isCurrent: false,
  fileName: 'returns.md',
  mimeType: 'text/markdown',
  language: 'en',
  title: 'Returns',
  url: 'https://shop.example/help/returns',
  bytes: 2298,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  metadata: { department: 'support', audience: ['customer', 'staff'] },
  storedAt: EXAMPLE_TIME,
};

const forEditors = {
  feature: 'knowledge',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
} as const;

const VersionParams = Type.Object({
  ...DocumentParams.properties,
  version: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Number of the version.',
  }),
});

const NO_VERSION = errorOf(
  'knowledge.no-version',
  'The document has no such version; only its last ten versions are kept.',
);

export const listDocumentVersions = operation({
  ...forEditors,
  id: 'listDocumentVersions',
  method: 'GET',
  path: '/spaces/{spaceId}/documents/{documentId}/versions',
  summary: 'List the versions of a document',
  description:
    'A document keeps its last ten versions, including the newest. A version is stored when the file of the document is replaced or its properties are changed. Only callers who may change documents see earlier versions. A record has no earlier versions.',
  params: DocumentParams,
  responses: {
    200: json('Versions, newest first.', DocumentVersionList, {
      items: [{ ...exampleVersion, version: 4, isCurrent: true }, exampleVersion],
    }),
  },
  errors: [400, 401, 403, 404],
});

export const downloadDocumentVersion = operation({
  ...forEditors,
  id: 'downloadDocumentVersion',
  method: 'GET',
  path: '/spaces/{spaceId}/documents/{documentId}/versions/{version}/content',
  summary: 'Download the file of a version',
  description: 'The response is always an attachment, so browsers do not execute its content.',
  params: VersionParams,
  responses: {
    200: {
      description: 'The file.',
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
  errors: [400, 401, 403, 404],
  errorExamples: { 404: NO_VERSION },
});

export const restoreDocumentVersion = operation({
  ...forEditors,
  id: 'restoreDocumentVersion',
  method: 'POST',
  path: '/spaces/{spaceId}/documents/{documentId}/versions/{version}/restore',
  summary: 'Restore a version of a document',
  description:
    'Stores the version again as the newest version; later versions are kept. A document with a key stays searchable until the restored version is indexed; other documents cannot be found in the meantime. The next document event or request with the key replaces the document as usual.',
  params: VersionParams,
  body: RestoreRequest,
  bodyExample: { properties: 'current' },
  bodyOptional: true,
  responses: {
    200: json('The document.', Document, { ...exampleDocument, state: 'processing', passages: 0 }),
  },
  errors: [400, 401, 403, 404, 409],
  errorExamples: {
    404: NO_VERSION,
    409: errorOf(
      'knowledge.properties-differ',
      'The file name, media type, language or metadata of the version differ from those of the document; set `properties` to `current` or `version`.',
    ),
  },
});
