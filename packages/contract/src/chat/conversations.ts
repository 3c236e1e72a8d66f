import Type from 'typebox';
import {
  EXAMPLE_TIME,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  Str,
  Timestamp,
  TOO_MANY_READS,
  Uuid,
} from '../common.ts';
import { json, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import { FilePart } from './attachments.ts';
import { exampleQuestion, exampleSourcePart, Feedback } from './chat.ts';
import { Handoff } from './handoff.ts';

export const Conversation = Type.Object({
  id: Uuid('ID of the conversation.'),
  title: Nullable(Str('First question, shortened. `null`: no messages yet.')),
  createdAt: Nullable(Timestamp('Time of the first question.')),
  updatedAt: Nullable(Timestamp('Time of the last message.')),
});
export type Conversation = Type.Static<typeof Conversation>;

export const ConversationList = ListOf(Conversation);

export const TextPart = Type.Object({
  type: Type.Literal('text', { description: 'Type of the part.' }),
  text: Str('Text in Markdown.'),
});

export const SourcePart = Type.Object({
  type: Type.Literal('source-document', { description: 'Type of the part.' }),
  sourceId: Str('Identifier of the passage: `<documentId>#<position>`.'),
  mediaType: Str('Media type of the document.'),
  title: Str('Current title of the document.'),
  filename: Str('File name of the document.'),
  providerMetadata: Type.Object({
    gatehouse: Type.Object({
      number: Int('Number of the citation in the answer: `[number]`.'),
      documentId: Uuid('ID of the document.'),
      position: Int('Index of the passage in the document, from 0.'),
      heading: Nullable(Str('Headings above the passage, joined by ` › `.')),
      url: Nullable(Str('Current URL of the document.')),
      attachment: Type.Optional(
        Type.Object(
          { text: Str('Text of the passage.') },
          {
            description:
              'Present if the passage is from an attachment of the conversation. `documentId` is then the ID of the attachment.',
          },
        ),
      ),
    }),
  }),
});
export type SourcePart = Type.Static<typeof SourcePart>;

export const AnswerState = OneOf(
  ['finished', 'stopped', 'failed', 'hidden'],
  '`stopped`: the user stopped the answer. `failed`: an error interrupted the answer. `hidden`: the answer is based on documents that the link may not see, so its text and sources are removed.',
);

export const KeptMessage = Type.Object({
  id: Uuid('ID of the message.'),
  role: OneOf(['user', 'assistant'], 'Author of the message.'),
  parts: Type.Array(Type.Union([TextPart, FilePart, SourcePart]), {
    description: 'Text, attachments and cited passages.',
  }),
  metadata: Type.Object({
    createdAt: Timestamp('Time of the message.'),
    state: Type.Optional(AnswerState),
    feedback: Type.Optional(Feedback),
    author: Type.Optional(Str('Name of the person of the team who wrote the message.')),
  }),
});
export type KeptMessage = Type.Static<typeof KeptMessage>;

/** Maximum number of messages in a response. */
export const MAX_MESSAGES_SHOWN = 200;

export const ConversationWithMessages = Type.Object({
  ...Conversation.properties,
  handoff: Nullable(Handoff),
  messages: Type.Array(KeptMessage, {
    description: `UI messages of the AI SDK, oldest first. At most ${MAX_MESSAGES_SHOWN}.`,
  }),
  earlier: Nullable(
    Str('Cursor for `before` of the next request. `null`: there are no earlier messages.'),
  ),
});
export type ConversationWithMessages = Type.Static<typeof ConversationWithMessages>;

const exampleConversation: Conversation = {
  id: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a',
  title: 'How long does a refund take?',
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
    parts: [{ type: 'text', text: 'Refunds take five days [1].' }, exampleSourcePart],
    metadata: { createdAt: EXAMPLE_TIME, state: 'finished', feedback: { rating: 'up' } },
  },
];

const ConversationParams = Type.Object({
  conversationId: Uuid('ID of the conversation.'),
});

export const listConversations = operation({
  id: 'listConversations',
  feature: 'chat',
  method: 'GET',
  path: '/chat/conversations',
  summary: 'List conversations',
  permission: PERMISSIONS.widgetSession,
  description:
    'Conversations belong to the `sub` of the link within its space, or to the link if it has no `sub`. The list is empty if the link does not store conversations.',
  credentials: ['widgetSession'],
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Conversations, newest first.', ConversationList, [exampleConversation]),
  },
  errors: [400, 401, 403, 410, 429],
  errorExamples: { 429: TOO_MANY_READS },
});

export const showConversation = operation({
  id: 'showConversation',
  feature: 'chat',
  method: 'GET',
  path: '/chat/conversations/{conversationId}',
  summary: 'Get a conversation with its messages',
  description:
    'Returns the newest messages, or those before a cursor. An answer is `hidden` if it is based on a document that the link may not see now. It is also `hidden` if one of its documents has changed since and it was given with another filter. The text and sources of a hidden answer are omitted. If the ID does not belong to a conversation of the caller, the response is an empty conversation.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: ConversationParams,
  query: Type.Object({
    before: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Cursor from `earlier` of the previous response. Omitted: the newest messages.',
      }),
    ),
  }),
  responses: {
    200: json('The conversation.', ConversationWithMessages, {
      ...exampleConversation,
      handoff: null,
      messages: exampleMessages,
      earlier: null,
    }),
  },
  errors: [400, 401, 403, 410, 429],
  errorExamples: { 429: TOO_MANY_READS },
});

export const deleteConversation = operation({
  id: 'deleteConversation',
  feature: 'chat',
  method: 'DELETE',
  path: '/chat/conversations/{conversationId}',
  summary: 'Delete a conversation',
  description:
    'Idempotent. The request also succeeds if the ID does not belong to a conversation of the caller.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: ConversationParams,
  responses: { 204: { description: 'The conversation no longer exists.' } },
  errors: [400, 401, 403, 410],
});
