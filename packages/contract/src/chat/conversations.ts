import Type from 'typebox';
import {
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  Nullable,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation } from '../operation.ts';
import { exampleQuestion, Feedback } from './chat.ts';

export const Conversation = Type.Object({
  id: Uuid('The conversation.'),
  title: Nullable(Type.String({ description: 'The first question, shortened.' })),
  createdAt: Nullable(Timestamp('When it began.')),
  updatedAt: Nullable(Timestamp('When something was last said.')),
});
export type Conversation = Type.Static<typeof Conversation>;

const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() });

export const SourcePart = Type.Object({
  type: Type.Literal('source-document'),
  sourceId: Type.String({ description: '`<documentId>#<position>`' }),
  mediaType: Type.String(),
  title: Type.String(),
  filename: Type.String(),
  providerMetadata: Type.Object({
    gatehouse: Type.Object({
      number: Type.Integer({ description: 'As the answer cites it: `[number]`.' }),
      documentId: Uuid('The document.'),
      position: Type.Integer({ description: 'The passage’s place in the document, from 0.' }),
      heading: Nullable(Type.String()),
    }),
  }),
});
export type SourcePart = Type.Static<typeof SourcePart>;

export const AnswerState = Type.Union(
  [
    Type.Literal('finished'),
    Type.Literal('stopped'),
    Type.Literal('failed'),
    Type.Literal('hidden'),
  ],
  {
    description:
      '`stopped` by the person; `failed` on the way; `hidden`: it rests on documents that are not, or no longer, to be seen.',
  },
);

export const KeptMessage = Type.Object({
  id: Uuid('The message.'),
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
  parts: Type.Array(Type.Union([TextPart, SourcePart])),
  metadata: Type.Object({
    createdAt: Timestamp('When it was said.'),
    state: Type.Optional(AnswerState),
    feedback: Type.Optional(Feedback),
  }),
});
export type KeptMessage = Type.Static<typeof KeptMessage>;

export const ConversationWithMessages = Type.Object({
  ...Conversation.properties,
  messages: Type.Array(KeptMessage, {
    description: 'UI messages of the AI SDK, oldest first; of a long conversation the newest 200.',
  }),
});
export type ConversationWithMessages = Type.Static<typeof ConversationWithMessages>;

const exampleConversation: Conversation = {
  id: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a',
  title: 'How long is a refund?',
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
};

const exampleMessages: KeptMessage[] = [
  {
    id: '0199f3a2-b1c1-7a20-8c4f-0a1b2c3d4e5f',
    role: 'user',
    parts: [{ type: 'text', text: String(exampleQuestion.messages[0]?.parts[0]?.text) }],
    metadata: { createdAt: EXAMPLE_TIME },
  },
  {
    id: '0199f3a2-b1c2-7d10-9a3b-4c5d6e7f8a90',
    role: 'assistant',
    parts: [
      { type: 'text', text: 'Refunds take five days [1].' },
      {
        type: 'source-document',
        sourceId: `${EXAMPLE_DOCUMENT_ID}#0`,
        mediaType: 'text/markdown',
        title: 'returns.md',
        filename: 'returns.md',
        providerMetadata: {
          gatehouse: {
            number: 1,
            documentId: EXAMPLE_DOCUMENT_ID,
            position: 0,
            heading: 'Returns',
          },
        },
      },
    ],
    metadata: { createdAt: EXAMPLE_TIME, state: 'finished', feedback: { rating: 'up' } },
  },
];

const ConversationParams = Type.Object({ conversationId: Uuid('The conversation.') });
const Whose =
  'Conversations belong to the link’s `sub` in its space or, where it names none, to the link.';

export const listConversations = operation({
  id: 'listConversations',
  feature: 'chat',
  method: 'GET',
  path: '/chat/conversations',
  summary: 'List one’s conversations (a widget session)',
  description: `${Whose} None where the link keeps no history.`,
  credentials: ['widgetSession'],
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'Conversations, the newest first.',
      schema: ListOf(Conversation),
      example: { items: [exampleConversation], next: null },
    },
  },
  errors: [400, 401, 403, 410],
});

export const showConversation = operation({
  id: 'showConversation',
  feature: 'chat',
  method: 'GET',
  path: '/chat/conversations/{conversationId}',
  summary: 'Open a conversation (a widget session)',
  description:
    'Answers are held against what the link may see today: one that rests on a document outside of that is `hidden`, and comes without text and sources. An id that is none of the caller’s is a conversation in which nothing has been said.',
  credentials: ['widgetSession'],
  params: ConversationParams,
  answers: {
    200: {
      description: 'The conversation.',
      schema: ConversationWithMessages,
      example: { ...exampleConversation, messages: exampleMessages },
    },
  },
  errors: [400, 401, 403, 410],
});

export const deleteConversation = operation({
  id: 'deleteConversation',
  feature: 'chat',
  method: 'DELETE',
  path: '/chat/conversations/{conversationId}',
  summary: 'Delete a conversation (a widget session)',
  description: 'Again, or of an id that is none of the caller’s, is no error.',
  credentials: ['widgetSession'],
  params: ConversationParams,
  answers: { 204: { description: 'It is gone.' } },
  errors: [400, 401, 403, 410],
});
