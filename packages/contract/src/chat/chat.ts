import Type from 'typebox';
import { Body, EXAMPLE_DOCUMENT_ID, FreeObject, STORABLE_PATTERN, Text, Uuid } from '../common.ts';
import { operation } from '../operation.ts';

/** UTF-16 code units of the question of one turn. */
export const MAX_QUESTION_LENGTH = 4000;
/** UTF-16 code units, as JSON, of the facts that a page reports with a question. */
export const MAX_CONTEXT_LENGTH = 8000;
const MAX_MESSAGES = 2000;
const MAX_PARTS = 500;
const MAX_CHAT_BYTES = 4 * 1024 * 1024;
/** The version of the UI message stream that `POST /chat` answers with. */
export const UI_MESSAGE_STREAM_VERSION = 'v1';

const ClientId = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE_PATTERN, description });

/** A part of a message as the AI SDK has it; of the kinds there are, the service reads `text`. */
const SentPart = Type.Object(
  { type: Type.String({ maxLength: 200 }), text: Type.Optional(Type.String()) },
  { additionalProperties: true, description: 'A part; those of type `text` are read.' },
);

export const SentMessage = Type.Object(
  {
    id: Type.Optional(ClientId('The client’s id of the message, or ours.')),
    role: Type.Union([Type.Literal('system'), Type.Literal('user'), Type.Literal('assistant')]),
    parts: Type.Array(SentPart, { maxItems: MAX_PARTS }),
  },
  { additionalProperties: true, description: 'A UI message of the AI SDK.' },
);
export type SentMessage = Type.Static<typeof SentMessage>;

export const ChatRequest = Type.Object(
  {
    id: Type.Optional(
      ClientId(
        'The client’s id of the chat, or the id of a conversation. It finds no conversation but the caller’s own.',
      ),
    ),
    messages: Type.Array(SentMessage, {
      minItems: 1,
      maxItems: MAX_MESSAGES,
      description:
        'The last one is the question: of the role `user`, text alone, at most 4,000 characters.',
    }),
    trigger: Type.Optional(
      Type.Union([Type.Literal('submit-message'), Type.Literal('regenerate-message')]),
    ),
    messageId: Type.Optional(ClientId('The message that is edited or answered again.')),
    context: Type.Optional(
      FreeObject(
        'Facts that the embedding page reports with this question: at most 8,000 characters as JSON. The assistant is shown them as data, beside what the link says about the page; they widen nothing, and are not kept.',
      ),
    ),
  },
  {
    additionalProperties: true,
    description: 'What `DefaultChatTransport` of the AI SDK sends; members it may add are ignored.',
  },
);
export type ChatRequest = Type.Static<typeof ChatRequest>;

export const exampleQuestion: ChatRequest = {
  id: 'q1Zk3v0b',
  messages: [
    { id: 'N8yT5rWc', role: 'user', parts: [{ type: 'text', text: 'How long is a refund?' }] },
  ],
  trigger: 'submit-message',
};

const exampleStream = [
  {
    type: 'start',
    messageId: '0199f3a2-b1c2-7d10-9a3b-4c5d6e7f8a90',
    messageMetadata: { conversationId: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a' },
  },
  { type: 'text-start', id: 'answer' },
  { type: 'text-delta', id: 'answer', delta: 'Refunds take five days [1].' },
  {
    type: 'source-document',
    sourceId: `${EXAMPLE_DOCUMENT_ID}#0`,
    mediaType: 'text/markdown',
    title: 'returns.md',
    filename: 'returns.md',
    providerMetadata: {
      gatehouse: { number: 1, documentId: EXAMPLE_DOCUMENT_ID, position: 0, heading: 'Returns' },
    },
  },
  { type: 'text-end', id: 'answer' },
  { type: 'finish', finishReason: 'stop', messageMetadata: { state: 'finished' } },
];

export const askAssistant = operation({
  id: 'askAssistant',
  feature: 'chat',
  method: 'POST',
  path: '/chat',
  summary: 'Ask the assistant, and hear its answer as it comes (a widget session)',
  description:
    "Speaks the AI SDK's UI message stream, so that `useChat` works against it. A message that is there already is answered again, and what followed it goes. What one person, and what all behind one link, may ask in a minute and at once is limited: 429. What is wrong after the answer has begun is an `error` part, with `state`, `code` and `retriable` in the message's metadata before it; an answer whose link ends breaks off with the link's code.",
  credentials: ['widgetSession'],
  body: ChatRequest,
  bodyExample: exampleQuestion,
  bodyLimit: MAX_CHAT_BYTES,
  answers: {
    200: {
      description: 'Server-sent events: the parts of the answer, then `[DONE]`.',
      mediaType: 'text/event-stream',
      example: `${exampleStream.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')}data: [DONE]\n\n`,
      headers: {
        'X-Vercel-AI-UI-Message-Stream': {
          description: 'The version of the stream.',
          schema: Type.Literal(UI_MESSAGE_STREAM_VERSION),
        },
      },
    },
  },
  errors: [400, 401, 403, 410, 429],
  errorExamples: {
    429: {
      message: 'You have asked much in a short time; ask again in 12 seconds.',
      code: 'chat.too-many-turns',
    },
  },
});

export const Feedback = Body({
  rating: Type.Union([Type.Literal('up'), Type.Literal('down')]),
  comment: Type.Optional(Text({ description: 'In the person’s own words.', maxLength: 2000 })),
});
export type Feedback = Type.Static<typeof Feedback>;

export const rateAnswer = operation({
  id: 'rateAnswer',
  feature: 'chat',
  method: 'POST',
  path: '/chat/messages/{messageId}/feedback',
  summary: 'Say whether an answer helped (a widget session)',
  description: 'The last word counts. Answers that were not kept cannot be rated: 404.',
  credentials: ['widgetSession'],
  params: Type.Object({ messageId: Uuid('The answer.') }),
  body: Feedback,
  bodyExample: { rating: 'up', comment: 'Just what I needed.' },
  answers: { 204: { description: 'It is kept.' } },
  errors: [400, 401, 403, 404, 410],
});
