import Type from 'typebox';
import { MAX_QUESTION_LENGTH } from '../chat/chat.ts';
import { SourcePart } from '../chat/conversations.ts';
import {
  Body,
  Bool,
  EXAMPLE_DOCUMENT_ID,
  FreeObject,
  Int,
  ListQuery,
  OneOf,
  SpaceParams,
  Str,
  Text,
  Uuid,
} from '../common.ts';
import { json, operation, PERMISSIONS } from '../operation.ts';
import { exampleDocument } from './document.ts';
import { DocumentList, examplePassage, Passage } from './documents.ts';

/** Maximum length of `actual` as JSON text, in UTF-16 code units. */
export const MAX_ACTUAL_LENGTH = 2000;

const target = {
  linkId: Type.Optional(
    Uuid('ID of an active link of the space. Send either `linkId` or `permissionFilter`.'),
  ),
  permissionFilter: Type.Optional(
    FreeObject('The `permissionFilter` of a link that need not exist.', 'PermissionFilter'),
  ),
  filter: Type.Optional(
    FreeObject('The `filter` of a link that need not exist. Only with `permissionFilter`.'),
  ),
};

export const PreviewRequest = Body({ ...target, ...ListQuery });
export type PreviewRequest = Type.Static<typeof PreviewRequest>;
export const ExplainRequest = Body({ ...target, documentId: Uuid('ID of the document.') });
export type ExplainRequest = Type.Static<typeof ExplainRequest>;
export const PreviewQuestion = Body({
  ...target,
  question: Text({
    description: 'The question.',
    minLength: 1,
    maxLength: MAX_QUESTION_LENGTH,
  }),
});
export type PreviewQuestion = Type.Static<typeof PreviewQuestion>;
export type PreviewTarget = Pick<PreviewRequest, 'linkId' | 'permissionFilter' | 'filter'>;

export const AccessPreview = Type.Object({
  visible: DocumentList,
  visibleCount: Int('Number of documents that the link shows.'),
  hiddenCount: Int('Number of documents of the space that the link does not show.'),
});
export type AccessPreview = Type.Static<typeof AccessPreview>;

export const ExplainedClause = Type.Object({
  path: Str(
    'JSON pointer (RFC 6901) of the predicate in the object `{ spaceFilter, permissionFilter, filter }`.',
  ),
  filter: FreeObject('The predicate as a filter of its own.', 'PermissionFilter'),
  holds: Bool(
    'Result of the predicate for the document. A `not` around the predicate is not applied.',
  ),
  actual: Type.Optional(
    Type.Unknown({
      description: `Value of the field in the document. On a path through arrays: the values found. For \`search\`: the strings that contain the text. Omitted if the field is absent. If the value has more than ${MAX_ACTUAL_LENGTH} characters as JSON: the first characters of this JSON.`,
    }),
  ),
  truncated: Type.Optional(
    Type.Literal(true, { description: 'Present if `actual` is shortened.' }),
  ),
});
export type ExplainedClause = Type.Static<typeof ExplainedClause>;

export const AccessExplanation = Type.Object({
  visible: Bool('`true`: the link shows the document.'),
  clauses: Type.Array(ExplainedClause, {
    description:
      'One item per predicate: first of the filter of the space, then of `permissionFilter`, then of `filter`.',
  }),
});
export type AccessExplanation = Type.Static<typeof AccessExplanation>;

export const PreviewPassage = Type.Object({
  documentId: Uuid('ID of the document.'),
  fileName: Str('File name of the document.'),
  ...Passage.properties,
});
export type PreviewPassage = Type.Static<typeof PreviewPassage>;

export const PreviewAnswer = Type.Object({
  passages: Type.Array(PreviewPassage, {
    description:
      'Passages that the searches for the answer found, best match of each search first.',
  }),
  answer: Type.Object({
    text: Str('Text of the answer, in Markdown.'),
    sources: Type.Array(SourcePart, { description: 'Cited passages.' }),
    state: OneOf(['finished', 'failed'], '`failed`: an error interrupted the answer.'),
    failure: Type.Union(
      [
        Type.Object({
          code: Str('Stable code, such as `chat.answer-unreachable`.'),
          message: Str('The message that the user of the link would see.'),
        }),
        Type.Null(),
      ],
      { description: 'The reason for the state `failed`. `null` in other states.' },
    ),
  }),
});
export type PreviewAnswer = Type.Static<typeof PreviewAnswer>;

const JsonType = OneOf(['string', 'number', 'boolean', 'null', 'array', 'object'], 'JSON type.');

export const MetadataField = Type.Object({
  name: Str('Name of the field in a filter, such as `acl.group`.'),
  types: Type.Array(JsonType, { description: 'Types of the values, most frequent first.' }),
  documents: Int('Number of inspected documents that have the field.'),
  values: Type.Array(
    Type.Object({
      value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
        description: 'The value, or an element of a list.',
      }),
      documents: Int('Number of inspected documents with the value.'),
    }),
    {
      description: 'The 20 most frequent values. Strings of more than 200 characters are omitted.',
    },
  ),
});
export type MetadataField = Type.Static<typeof MetadataField>;

export const MetadataFields = Type.Object({
  items: Type.Array(MetadataField, { description: 'Fields, most frequent first.' }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of the next page. `null` on the last page.',
  }),
  inspectedDocuments: Int(
    'Number of inspected documents: the newest ones, at most 2,000 documents or 4 MiB of metadata.',
  ),
  totalDocuments: Int('Number of documents in the space.'),
});
export type MetadataFields = Type.Static<typeof MetadataFields>;

const exampleTarget = {
  permissionFilter: { audience: { eq: 'customer' } },
  filter: { department: 'support' },
};
const LIMITS =
  'The filter of the space always applies. An expired or revoked link is a 410, a link of another space is a 404.';

export const previewAccess = operation({
  id: 'previewAccess',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/access-preview',
  summary: 'List the documents that a link shows',
  description: `Documents are listed oldest first. ${LIMITS}`,
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SpaceParams,
  body: PreviewRequest,
  bodyExample: { ...exampleTarget, limit: 10 },
  responses: {
    200: json('Documents that the link shows, and counts.', AccessPreview, {
      visible: { items: [exampleDocument], next: null },
      visibleCount: 1,
      hiddenCount: 41,
    }),
  },
  errors: [400, 401, 403, 404, 410, 429],
});

export const explainAccess = operation({
  id: 'explainAccess',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/access-preview/explain',
  summary: 'Explain why a link shows or hides a document',
  description: LIMITS,
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SpaceParams,
  body: ExplainRequest,
  bodyExample: { ...exampleTarget, documentId: EXAMPLE_DOCUMENT_ID },
  responses: {
    200: json('The result of each predicate.', AccessExplanation, {
      visible: false,
      clauses: [
        {
          path: '/spaceFilter/audience/ne',
          filter: { audience: { ne: 'board' } },
          holds: true,
          actual: ['staff'],
        },
        {
          path: '/permissionFilter/audience/eq',
          filter: { audience: { eq: 'customer' } },
          holds: false,
          actual: ['staff'],
        },
        {
          path: '/filter/department',
          filter: { department: { eq: 'support' } },
          holds: true,
          actual: 'support',
        },
      ],
    }),
  },
  errors: [400, 401, 403, 404, 410, 429],
});

export const askPreview = operation({
  id: 'askPreview',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/access-preview/ask',
  summary: 'Ask a question as a link would',
  description: `Returns the answer that a person with this link would get at the start of a conversation. Nothing is stored. The limits of questions per minute apply to the caller and to all previews of the space. ${LIMITS}`,
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SpaceParams,
  body: PreviewQuestion,
  bodyExample: { ...exampleTarget, question: 'How long does a refund take?' },
  responses: {
    200: json('Passages and answer.', PreviewAnswer, {
      passages: [
        { documentId: exampleDocument.id, fileName: exampleDocument.fileName, ...examplePassage },
      ],
      answer: {
        text: 'A refund takes five days. [1]',
        sources: [
          {
            type: 'source-document',
            sourceId: `${exampleDocument.id}#${examplePassage.position}`,
            mediaType: exampleDocument.mimeType,
            title: exampleDocument.title,
            filename: exampleDocument.fileName,
            providerMetadata: {
              gatehouse: {
                number: 1,
                documentId: exampleDocument.id,
                position: examplePassage.position,
                heading: examplePassage.heading,
                url: exampleDocument.url,
              },
            },
          },
        ],
        state: 'finished',
        failure: null,
      },
    }),
  },
  errors: [400, 401, 403, 404, 410, 429],
});

export const listMetadataFields = operation({
  id: 'listMetadataFields',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/metadata-fields',
  summary: 'List the metadata fields of documents',
  description:
    'Lists names for filters with the types and most frequent values that the newest documents have. At most 1,000 fields are counted.',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SpaceParams,
  query: Type.Object(ListQuery),
  responses: {
    200: json('Fields of the inspected documents.', MetadataFields, {
      items: [
        {
          name: 'department',
          types: ['string'],
          documents: 42,
          values: [
            { value: 'support', documents: 30 },
            { value: 'sales', documents: 12 },
          ],
        },
      ],
      next: null,
      inspectedDocuments: 42,
      totalDocuments: 42,
    }),
  },
  errors: [400, 401, 403, 429],
});
