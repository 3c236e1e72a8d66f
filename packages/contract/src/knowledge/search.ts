import Type from 'typebox';
import { Body, FreeObject, Nullable, Text, Uuid } from '../common.ts';
import { operation } from '../operation.ts';
import { exampleDocument, examplePassage } from './documents.ts';

export const MAX_QUERY_LENGTH = 1000;
export const SEARCH_LIMIT = { minimum: 1, maximum: 50, default: 10 } as const;

export const SearchRequest = Body({
  query: Text({
    description:
      'Words, in any language; the last may be unfinished. In double quotes: words that must stand together.',
    minLength: 1,
    maxLength: MAX_QUERY_LENGTH,
  }),
  filter: Type.Optional(
    FreeObject('Narrows the search, in the filter language; it can never widen it.'),
  ),
  limit: Type.Optional(
    Type.Integer({ ...SEARCH_LIMIT, description: 'How many passages at most.' }),
  ),
});
export type SearchRequest = Type.Static<typeof SearchRequest>;

const Range = Type.Tuple([Type.Integer(), Type.Integer()], {
  description: 'From (included) to (excluded), in UTF-16 code units of the snippet.',
});

export const FoundPassage = Type.Object({
  documentId: Uuid('The document.'),
  fileName: Type.String(),
  position: Type.Integer({ description: 'The passage’s place in the document, from 0.' }),
  heading: Nullable(Type.String({ description: 'The headings it stands under, joined by ` › `.' })),
  text: Type.String(),
  snippet: Type.String({ description: 'The part of `text` that fits the query best.' }),
  highlights: Type.Array(Range, { description: 'Where the snippet has words of the query.' }),
  score: Type.Number({
    description:
      'From 0 to 1, by the place in the answer: 1, 1/2, 1/3 … A finer number would tell of texts that are hidden.',
  }),
  metadata: FreeObject('The document’s.'),
});
export type FoundPassage = Type.Static<typeof FoundPassage>;

export const SearchAnswer = Type.Object({ items: Type.Array(FoundPassage) });
export type SearchAnswer = Type.Static<typeof SearchAnswer>;

export const searchPassages = operation({
  id: 'searchPassages',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/search',
  summary: 'Search a space’s knowledge (any role, a key with `read`, or a widget session)',
  description:
    'The best passages first. With a widget session the link’s `permissionFilter` and `filter` hold inside the search itself, before anything is cut off.',
  credentials: ['session', 'apiKey', 'widgetSession'],
  params: Type.Object({ spaceId: Uuid('The space.') }),
  body: SearchRequest,
  bodyExample: { query: 'how long does a refund take', filter: { department: { eq: 'support' } } },
  answers: {
    200: {
      description: 'Passages, the best first.',
      schema: SearchAnswer,
      example: {
        items: [
          {
            documentId: exampleDocument.id,
            fileName: exampleDocument.fileName,
            ...examplePassage,
            snippet: examplePassage.text,
            highlights: [[2, 8]],
            score: 1,
            metadata: exampleDocument.metadata,
          },
        ],
      },
    },
  },
  errors: [400, 401, 403, 410],
});
