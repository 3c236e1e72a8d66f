import Type from 'typebox';
import {
  Body,
  FreeObject,
  Int,
  Nullable,
  SpaceParams,
  Str,
  Text,
  TOO_MANY_READS,
  Uuid,
} from '../common.ts';
import { json, operation, PERMISSIONS } from '../operation.ts';
import { exampleDocument } from './document.ts';
import { examplePassage } from './documents.ts';

export const MAX_QUERY_LENGTH = 1000;
export const SEARCH_LIMIT = { minimum: 1, maximum: 50, default: 10 } as const;

export const SearchRequest = Body({
  query: Text({
    description:
      'Words in any language. The last word may be incomplete. Words in double quotes must be adjacent.',
    minLength: 1,
    maxLength: MAX_QUERY_LENGTH,
  }),
  filter: Type.Optional(
    FreeObject(
      'Filter that narrows the search, in the filter language. It cannot widen the search. A dotted name such as `acl.group` reads `group` in every object of a list at `acl`.',
      'PermissionFilter',
    ),
  ),
  limit: Type.Optional(
    Type.Integer({ ...SEARCH_LIMIT, description: 'Maximum number of passages. Default 10.' }),
  ),
});
export type SearchRequest = Type.Static<typeof SearchRequest>;

const Range = Type.Tuple([Type.Integer(), Type.Integer()], {
  description: 'Start (inclusive) and end (exclusive) in UTF-16 code units of the snippet.',
});

export const FoundPassage = Type.Object({
  documentId: Uuid('ID of the document.'),
  fileName: Str('File name of the document.'),
  title: Str('Title of the document.'),
  url: Nullable(Str('URL of the document.')),
  position: Int('Index of the passage in the document, from 0.'),
  heading: Nullable(Str('Headings above the passage, joined by ` › `.')),
  text: Str('Text of the passage.'),
  snippet: Str('The part of `text` that matches the query best.'),
  highlights: Type.Array(Range, { description: 'Ranges of matching words in the snippet.' }),
  score: Type.Number({
    description:
      'Reciprocal rank of the passage: 1, 1/2, 1/3 and so on. A finer score would reveal information about hidden documents.',
  }),
  metadata: FreeObject('Metadata of the document.'),
  projectionId: Nullable(
    Uuid('ID of the projection that derives this record from events. `null`: a document.'),
  ),
});
export type FoundPassage = Type.Static<typeof FoundPassage>;

export const SearchAnswer = Type.Object({
  items: Type.Array(FoundPassage, { description: 'Passages, best match first.' }),
});

export const searchPassages = operation({
  id: 'searchPassages',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/search',
  summary: 'Search the knowledge of a space',
  description:
    'With a widget session, the search considers only documents that match the `permissionFilter` of the space and the `permissionFilter` and `filter` of the link.',
  permission: PERMISSIONS.view,
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: SpaceParams,
  body: SearchRequest,
  bodyExample: { query: 'how long does a refund take', filter: { department: { eq: 'support' } } },
  responses: {
    200: json('Passages, best match first.', SearchAnswer, {
      items: [
        {
          documentId: exampleDocument.id,
          fileName: exampleDocument.fileName,
          title: exampleDocument.title,
          url: exampleDocument.url,
          ...examplePassage,
          snippet: examplePassage.text,
          highlights: [[2, 8]],
          score: 1,
          metadata: exampleDocument.metadata,
          projectionId: null,
        },
      ],
    }),
  },
  errors: [400, 401, 403, 410, 429],
  errorExamples: { 429: TOO_MANY_READS },
});
