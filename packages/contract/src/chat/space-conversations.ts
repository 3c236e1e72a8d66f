import Type from 'typebox';
import {
  Bool,
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  Int,
  ListOf,
  ListQuery,
  Moment,
  Nullable,
  OneOf,
  SpaceParams,
  Str,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import { exampleFilePart, FilePart } from './attachments.ts';
import { exampleHandoff, Handoff } from './handoff.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const SpaceConversation = Type.Object({
  id: Uuid('ID of the conversation.'),
  title: Str('First question, shortened. Empty: no question yet.'),
  sub: Nullable(Str('The `sub` of the person. `null`: the link has no `sub`.')),
  linkId: Nullable(
    Uuid('ID of the link that owns the conversation. `null`: the conversation belongs to a `sub`.'),
  ),
  createdAt: Timestamp('Time of the first question.'),
  updatedAt: Timestamp('Time of the last message.'),
  questions: Count('Number of questions.'),
  unanswered: Count('Number of answers with `answered: false`.'),
  ratings: Type.Object(
    {
      up: Count('Number of answers that the person liked.'),
      down: Count('Number of answers that the person disliked.'),
    },
    { description: 'Feedback of the person.' },
  ),
  handoff: Nullable(Handoff),
});
export type SpaceConversation = Type.Static<typeof SpaceConversation>;

export const SpaceConversationList = ListOf(SpaceConversation);

const Rating = OneOf(['up', 'down']);

export const CitedSource = Type.Object({
  number: Int('Number of the citation in the answer: `[number]`.'),
  documentId: Uuid('ID of the document.'),
  position: Int('Index of the passage in the document, from 0.'),
  heading: Nullable(Str('Headings above the passage, joined by ` › `.')),
  title: Nullable(Str('Current title of the document. `null`: it was deleted.')),
  url: Nullable(Str('Current URL of the document.')),
  isAttachment: Type.Optional(
    Type.Literal(true, {
      description: 'Present if the passage is from an attachment. `documentId` is then its ID.',
    }),
  ),
});
export type CitedSource = Type.Static<typeof CitedSource>;

export const SpaceMessage = Type.Object({
  id: Uuid('ID of the message.'),
  role: OneOf(['user', 'assistant'], 'Author of the message.'),
  text: Str('Text in Markdown.'),
  createdAt: Timestamp('Time of the message.'),
  linkId: Nullable(
    Uuid(
      'ID of the link through which the question was asked. `null` for answers, and for questions of earlier releases.',
    ),
  ),
  state: OneOf(
    ['finished', 'stopped', 'failed'],
    '`stopped`: the person stopped the answer. `failed`: an error interrupted the answer.',
  ),
  failure: Nullable(Str('Error code of a failed answer.')),
  answered: Nullable(
    Bool(
      '`false`: the assistant found nothing about the question in the documents. An answer of a model counts as unanswered if it cites no document and the question is not small talk. `null` for questions, incomplete answers without a citation, and answers of earlier releases.',
    ),
  ),
  model: Nullable(Str('Model that generated the answer.')),
  author: Nullable(
    Str(
      'Name of the person of the team who wrote the answer. `null` for questions and for answers of the assistant.',
    ),
  ),
  sources: Type.Array(CitedSource, { description: 'Cited passages.' }),
  attachments: Type.Array(FilePart, {
    description: 'Files that the person attached to the question. Their text cannot be requested.',
  }),
  rating: Nullable(OneOf(['up', 'down'], 'Feedback of the person.')),
  comment: Nullable(Str('Comment of the person.')),
});
export type SpaceMessage = Type.Static<typeof SpaceMessage>;

export const SpaceConversationWithMessages = Type.Object({
  ...SpaceConversation.properties,
  messages: ListOf(SpaceMessage),
});
export type SpaceConversationWithMessages = Type.Static<typeof SpaceConversationWithMessages>;

export const ExportedMessage = Type.Object({
  conversationId: Uuid('ID of the conversation.'),
  title: Str('First question, shortened.'),
  sub: SpaceConversation.properties.sub,
  conversationLinkId: SpaceConversation.properties.linkId,
  ...Type.Omit(SpaceMessage, ['attachments']).properties,
  sources: Type.Array(
    Type.Object({
      number: CitedSource.properties.number,
      documentId: CitedSource.properties.documentId,
      position: CitedSource.properties.position,
      heading: CitedSource.properties.heading,
    }),
    { description: 'Cited passages.' },
  ),
});
export type ExportedMessage = Type.Static<typeof ExportedMessage>;

const ConversationFilters = {
  sub: Type.Optional(
    Text({ minLength: 1, description: 'Only conversations of this person. Exact match.' }),
  ),
  linkId: Type.Optional(
    Uuid('Only conversations in which a question was asked through this link.'),
  ),
  from: Type.Optional(Moment('Earliest time of the first question, inclusive.')),
  to: Type.Optional(Moment('Latest time of the first question, exclusive.')),
  rating: Type.Optional(
    Type.Union(Rating.anyOf, {
      description: 'Only conversations with an answer that the person rated like this.',
    }),
  ),
  handoff: Type.Optional(
    OneOf(
      ['requested', 'active', 'open'],
      'Only conversations whose handoff has this state. `open`: `requested` or `active`.',
    ),
  ),
  answered: Type.Optional(
    OneOf(
      ['true', 'false'],
      '`false`: only conversations with an unanswered question. `true`: only conversations without one.',
    ),
  ),
};

const exampleConversation: SpaceConversation = {
  id: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a',
  title: 'How long does a refund take?',
  sub: 'customer-42',
  linkId: null,
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
  questions: 1,
  unanswered: 0,
  ratings: { up: 1, down: 0 },
  handoff: exampleHandoff,
};

const exampleSource = {
  number: 1,
  documentId: EXAMPLE_DOCUMENT_ID,
  position: 0,
  heading: 'Returns',
};
const exampleAnswer = {
  id: '0199f3a2-b1c2-7d10-9a3b-4c5d6e7f8a90',
  role: 'assistant' as const,
  text: 'Refunds take five days [1].',
  createdAt: EXAMPLE_TIME,
  linkId: null,
  state: 'finished' as const,
  failure: null,
  answered: true,
  model: null,
  author: null,
  rating: 'up' as const,
  comment: null,
};
const exampleMessages: SpaceMessage[] = [
  {
    ...exampleAnswer,
    id: '0199f3a2-b1c1-7a20-8c4f-0a1b2c3d4e5f',
    role: 'user',
    text: 'How long does a refund take?',
    linkId: '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2',
    answered: null,
    sources: [],
    attachments: [exampleFilePart],
    rating: null,
  },
  {
    ...exampleAnswer,
    sources: [{ ...exampleSource, title: 'Returns', url: 'https://shop.example/help/returns' }],
    attachments: [],
  },
];
const exampleExported: ExportedMessage = {
  conversationId: exampleConversation.id,
  title: exampleConversation.title,
  sub: exampleConversation.sub,
  conversationLinkId: null,
  ...exampleAnswer,
  sources: [exampleSource],
};

const PARAMS_EXAMPLE = {
  spaceId: EXAMPLE_SPACE_ID,
  sub: 'customer-42',
  linkId: '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2',
  rating: 'down',
  answered: 'false',
  handoff: 'open',
};

export const listSpaceConversations = operation({
  id: 'listSpaceConversations',
  feature: 'chat',
  method: 'GET',
  path: '/spaces/{spaceId}/conversations',
  summary: 'List conversations of a space',
  description:
    'Each request is recorded in the audit. Conversations of links with `chatHistory: false` are not stored. One request examines at most 5,000 conversations, so a page can have fewer items than `limit`, or none, although `next` is not `null`.',
  permission: PERMISSIONS.conversations,
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object({ ...ConversationFilters, ...ListQuery }),
  paramsExample: PARAMS_EXAMPLE,
  responses: {
    200: jsonPage('Conversations, newest first.', SpaceConversationList, [exampleConversation]),
  },
  errors: [400, 401, 403],
});

export const showSpaceConversation = operation({
  id: 'showSpaceConversation',
  feature: 'chat',
  method: 'GET',
  path: '/spaces/{spaceId}/conversations/{conversationId}',
  summary: 'Get a conversation of a space with its messages',
  description:
    'Each request is recorded in the audit. The messages have the text that the person saw, even if the filters of the link now hide a cited document.',
  permission: PERMISSIONS.conversations,
  credentials: ['session', 'apiKey'],
  params: Type.Object({
    ...SpaceParams.properties,
    conversationId: Uuid('ID of the conversation.'),
  }),
  query: Type.Object(ListQuery),
  responses: {
    200: json(
      'The conversation with a page of its messages, oldest first.',
      SpaceConversationWithMessages,
      { ...exampleConversation, messages: { items: exampleMessages, next: null } },
    ),
  },
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: errorOf('chat.conversation-not-found', 'This space has no conversation with this ID.'),
  },
});

export const exportConversations = operation({
  id: 'exportConversations',
  feature: 'chat',
  method: 'GET',
  path: '/spaces/{spaceId}/conversations/export',
  summary: 'Export conversations of a space',
  description:
    'Streams all messages of the matching conversations, newest conversation first. Each request is recorded in the audit. The export is aborted if the caller loses the right to read conversations or the credential ends. In CSV, cells that a spreadsheet would evaluate as a formula start with an apostrophe.',
  permission: PERMISSIONS.conversations,
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object({
    ...ConversationFilters,
    format: OneOf(
      ['jsonl', 'csv'],
      '`jsonl`: one JSON object per line. `csv`: a header line and one line per message.',
    ),
  }),
  paramsExample: { ...PARAMS_EXAMPLE, format: 'jsonl' },
  responses: {
    200: {
      description: 'The messages.',
      mediaType: 'application/jsonl',
      otherMediaTypes: ['text/csv'],
      example: `${JSON.stringify(exampleExported)}\n`,
    },
  },
  errors: [400, 401, 403],
});

const UpdateParams = Type.Object({
  ...SpaceParams.properties,
  conversationId: Uuid('ID of the conversation.'),
});

export const followSpaceConversation = operation({
  id: 'followSpaceConversation',
  feature: 'chat',
  method: 'GET',
  path: '/spaces/{spaceId}/conversations/{conversationId}/stream',
  summary: 'Follow a conversation that was handed over',
  description:
    'Streams the open handoff of a conversation: first its state and its messages so far, then each change and each new message. The stream ends when the handoff ends, when the caller loses the right, and after at most ten minutes; the client then opens it again. Messages of an earlier stream are repeated with the same IDs. The response is 204 if the conversation is not handed over. Each request is recorded in the audit.',
  permission: PERMISSIONS.conversations,
  credentials: ['session', 'apiKey'],
  params: UpdateParams,
  responses: {
    200: {
      description:
        'Server-sent events: `{ type: "handoff", handoff }` and `{ type: "message", message }`.',
      mediaType: 'text/event-stream',
      example: `data: ${JSON.stringify({ type: 'handoff', handoff: exampleHandoff })}\n\n`,
    },
    204: { description: 'The conversation is not handed over.' },
  },
  errors: [400, 401, 403, 404, 429],
  errorExamples: {
    404: errorOf('chat.conversation-not-found', 'This space has no conversation with this ID.'),
    429: errorOf(
      'chat.too-many-streams',
      'Too many streams are open for this person. Close one of them.',
    ),
  },
});
