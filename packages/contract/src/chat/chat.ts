import Type from 'typebox';
import {
  Body,
  EXAMPLE_DOCUMENT_ID,
  FreeObject,
  OneOf,
  STORABLE_PATTERN,
  Str,
  Text,
  Uuid,
} from '../common.ts';
import { errorOf, operation, PERMISSIONS } from '../operation.ts';
import { PageTools } from './page-tools.ts';

export const MAX_QUESTION_LENGTH = 4000;
/** Maximum length of `context` as JSON text, in UTF-16 code units. */
export const MAX_CONTEXT_LENGTH = 8000;
const MAX_MESSAGES = 2000;
const MAX_PARTS = 500;
const MAX_CHAT_BYTES = 4 * 1024 * 1024;
export const UI_MESSAGE_STREAM_VERSION = 'v1';

const ClientId = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE_PATTERN, description });

const SentPart = Type.Object(
  {
    type: Type.String({ maxLength: 200, description: 'Type of the part.' }),
    text: Type.Optional(Str('Text of a part of the type `text`.')),
    url: Type.Optional(Str('`url` of the uploaded attachment, for a part of the type `file`.')),
  },
  {
    additionalProperties: true,
    description:
      'A message part of the AI SDK. Only parts of the types `text` and `file` are used.',
  },
);

export const SentMessage = Type.Object(
  {
    id: Type.Optional(ClientId('ID of the message, assigned by the client or the service.')),
    role: OneOf(['system', 'user', 'assistant'], 'Author of the message.'),
    parts: Type.Array(SentPart, {
      maxItems: MAX_PARTS,
      description: 'Parts of the message. At most 500.',
    }),
  },
  { additionalProperties: true, description: 'A UI message of the AI SDK.' },
);
export type SentMessage = Type.Static<typeof SentMessage>;

export const ChatRequest = Type.Object(
  {
    id: Type.Optional(
      ClientId('ID of the chat, assigned by the client, or ID of a conversation of the caller.'),
    ),
    messages: Type.Array(SentMessage, {
      minItems: 1,
      maxItems: MAX_MESSAGES,
      description:
        'Messages of the chat. The last message is the question. It must have the role `user` and contain text, at most 4,000 characters, and optionally attachments, at most 10.',
    }),
    trigger: Type.Optional(
      OneOf(
        ['submit-message', 'regenerate-message'],
        '`regenerate-message` replaces the last answer. With `messageId`, it replaces an earlier one and deletes all later messages.',
      ),
    ),
    messageId: Type.Optional(ClientId('ID of the message that is edited or answered again.')),
    knownMessageIds: Type.Optional(
      Type.Array(ClientId('ID of a message, assigned by the client or the service.'), {
        maxItems: MAX_MESSAGES,
        description:
          'IDs of the messages that the client shows, at most 2,000. If the question is edited or answered again, and a message after it has another ID, the response is 409 and no message changes. Default: only `regenerate-message` without `messageId` checks for newer questions.',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'IANA time zone of the person, such as `Europe/Vienna`. The model receives the local date and time. An unknown time zone is ignored.',
      }),
    ),
    locale: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'BCP 47 tag of the language in which the page is shown. Used if the language of the question is unclear. Takes precedence over the `locale` of the link. An invalid tag is ignored.',
      }),
    ),
    context: Type.Optional(
      FreeObject(
        'Facts about the embedding page, at most 8,000 characters as JSON. The model receives them as data, not as instructions, in addition to the `context` of the link. They do not affect permissions and are not stored.',
      ),
    ),
    pageTools: Type.Optional(PageTools),
    resumable: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          '`true`: the answer continues for 30 seconds if the client disconnects, so that `GET /chat/{chatId}/stream` can resume it. To stop the answer, the client must send `DELETE /chat/{chatId}/stream`. Ignored if the link stores no conversations, or without `id`. Default `false`: the answer stops when the client disconnects.',
      }),
    ),
  },
  {
    additionalProperties: true,
    description:
      'The request format of `DefaultChatTransport` in the AI SDK. Unknown members are ignored.',
  },
);
export type ChatRequest = Type.Static<typeof ChatRequest>;

export const exampleQuestion: ChatRequest = {
  id: 'q1Zk3v0b',
  messages: [
    {
      id: 'N8yT5rWc',
      role: 'user',
      parts: [{ type: 'text', text: 'How long does a refund take?' }],
    },
  ],
  trigger: 'submit-message',
};

/** The citation in the example answer. */
export const exampleSourcePart = {
  type: 'source-document' as const,
  sourceId: `${EXAMPLE_DOCUMENT_ID}#0`,
  mediaType: 'text/markdown',
  title: 'Returns',
  filename: 'returns.md',
  providerMetadata: {
    gatehouse: {
      number: 1,
      documentId: EXAMPLE_DOCUMENT_ID,
      position: 0,
      heading: 'Returns',
      url: 'https://shop.example/help/returns',
    },
  },
};

const exampleStream = [
  {
    type: 'start',
    messageId: '0199f3a2-b1c2-7d10-9a3b-4c5d6e7f8a90',
    messageMetadata: { conversationId: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a' },
  },
  { type: 'text-start', id: 'answer' },
  { type: 'text-delta', id: 'answer', delta: 'Refunds take five days [1].' },
  exampleSourcePart,
  { type: 'text-end', id: 'answer' },
  { type: 'finish', finishReason: 'stop', messageMetadata: { state: 'finished' } },
];

const streamText = `${exampleStream.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')}data: [DONE]\n\n`;
const streamHeaders = {
  'X-Vercel-AI-UI-Message-Stream': {
    description: 'Version of the stream protocol.',
    schema: Type.Literal(UI_MESSAGE_STREAM_VERSION),
  },
};

export const askAssistant = operation({
  id: 'askAssistant',
  feature: 'chat',
  method: 'POST',
  path: '/chat',
  summary: 'Ask the assistant',
  description:
    'Streams the answer in the UI message stream protocol of the AI SDK and works with `useChat`. A question with the ID of a stored message replaces that message and deletes all later ones. If it would delete a message that is not in `knownMessageIds`, for example from another tab, or if `trigger` is `regenerate-message`, `messageId` is missing and the conversation has a newer question, the response is 409. Questions per minute and concurrent answers are limited per user and per link; beyond a limit the response is 429. An error after the start of the stream is sent as an `error` part. The message metadata that precedes this part contains `state`, `code` and `retriable`. If the link expires or is revoked during an answer, `code` is `links.expired` or `links.revoked`. The metadata of the `finish` part can contain `suggestions`: up to three further questions, which are headings of passages that the link shows and the answer does not cite. If `features.reasoning` of the link is `true`, `reasoning-delta` parts contain the reasoning of a model; they are never stored. During a handoff the question is stored for the team, and the answer has no text; the metadata of its `start` part contains the state of the `handoff`. A request with `knownMessageIds` that edits an earlier question, or answers it again, then gets 409.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  body: ChatRequest,
  bodyExample: exampleQuestion,
  bodyLimit: MAX_CHAT_BYTES,
  responses: {
    200: {
      description: 'Server-sent events: the parts of the answer, followed by `[DONE]`.',
      mediaType: 'text/event-stream',
      example: streamText,
      headers: streamHeaders,
    },
  },
  errors: [400, 401, 403, 409, 410, 429],
  errorExamples: {
    409: errorOf(
      'chat.newer-question',
      'The conversation has newer messages. Load it again. To delete them, send `messageId`, and add their IDs to `knownMessageIds` if you send it.',
    ),
    429: errorOf(
      'chat.too-many-turns',
      'You have asked too many questions in a short time. Try again in 12 seconds.',
    ),
  },
});

export const resumeAnswer = operation({
  id: 'resumeAnswer',
  feature: 'chat',
  method: 'GET',
  path: '/chat/{chatId}/stream',
  summary: 'Resume the answer in progress',
  description:
    '`useChat({ resume: true })` of the AI SDK sends this request when a page opens. The response contains all parts of the answer, also those that were sent before. Only questions with `resumable: true` have such an answer, and only sessions of the link that asked can resume it, on any replica, with at most eight streams at the same time. The response is 204 if the chat has no answer in progress, or if the caller has no chat with this ID; `GET /chat/conversations/{conversationId}` returns the stored answer.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: Type.Object({
    chatId: ClientId('ID of the chat, assigned by the client, or ID of a conversation.'),
  }),
  responses: {
    200: {
      description: 'Server-sent events: the parts of the answer, followed by `[DONE]`.',
      mediaType: 'text/event-stream',
      example: streamText,
      headers: streamHeaders,
    },
    204: { description: 'There is no answer to resume.' },
  },
  errors: [400, 401, 403, 410, 429],
  errorExamples: {
    429: errorOf(
      'chat.too-many-streams',
      'Too many streams are open for this person. Close one of them.',
    ),
  },
});

export const stopAnswer = operation({
  id: 'stopAnswer',
  feature: 'chat',
  method: 'DELETE',
  path: '/chat/{chatId}/stream',
  summary: 'Stop the answer in progress',
  description:
    'Stops an answer to a question with `resumable: true`. The text so far is stored. The response is the same if there is no such answer. Only sessions of the link that asked can stop it.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: resumeAnswer.params,
  responses: { 204: { description: 'The answer stops, or there is none.' } },
  errors: [400, 401, 403, 410],
});

export const Feedback = Body({
  rating: OneOf(['up', 'down'], '`up`: the answer was helpful. `down`: it was not.'),
  comment: Type.Optional(Text({ description: 'Comment of the user.', maxLength: 2000 })),
});
export type Feedback = Type.Static<typeof Feedback>;

export const rateAnswer = operation({
  id: 'rateAnswer',
  feature: 'chat',
  method: 'POST',
  path: '/chat/messages/{messageId}/feedback',
  summary: 'Rate an answer',
  description:
    'A new rating replaces the previous one. Only stored answers can be rated; for others the response is 404.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: Type.Object({ messageId: Uuid('ID of the answer.') }),
  body: Feedback,
  bodyExample: { rating: 'up', comment: 'Just what I needed.' },
  responses: { 204: { description: 'The rating was stored.' } },
  errors: [400, 401, 403, 404, 410],
});
