import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  Nullable,
  OneOf,
  SpaceParams,
  STORABLE_PATTERN,
  Str,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';

/** Prefix of the types of events about conversations. Only Gatehouse sends events with such a type. */
export const CONVERSATION_EVENT_PREFIX = 'gatehouse.conversation.';
/** Maximum length of a message of the team, in UTF-16 code units. */
const MAX_TEAM_MESSAGE_LENGTH = 4000;

export const Handoff = Type.Object(
  {
    id: Uuid('ID of the handoff.'),
    state: OneOf(
      ['requested', 'active', 'ended'],
      '`requested`: the visitor waits for a person. `active`: a person has answered. `ended`: the assistant answers again.',
    ),
    requestedAt: Timestamp('Time at which the visitor asked for a person.'),
    author: Nullable(Str('Name of the person who answered first. `null`: nobody yet.')),
    endedAt: Nullable(Timestamp('Time of the end. `null`: the handoff has not ended.')),
  },
  { description: 'The newest handoff of the conversation to a person.' },
);
export type Handoff = Type.Static<typeof Handoff>;

export const exampleHandoff: Handoff = {
  id: '0199f3a2-c1d0-7b31-8e44-5d6c7b8a9f01',
  state: 'requested',
  requestedAt: EXAMPLE_TIME,
  author: null,
  endedAt: null,
};
const EXAMPLE_CONVERSATION_ID = '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a';

const UNAVAILABLE = errorOf(
  'chat.handoff-unavailable',
  'This assistant hands no conversations over to people.',
);
const NO_HANDOFF = errorOf(
  'chat.no-handoff',
  'The conversation is not handed over, so the assistant answers.',
);

export const HandoffRequest = Body({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: STORABLE_PATTERN,
    description:
      'ID of the chat, assigned by the client, or ID of a conversation of the caller. An unknown ID creates a conversation.',
  }),
});

export const RequestedHandoff = Type.Object({
  conversationId: Nullable(
    Uuid('ID of the conversation. `null`: there is none, because no handoff began.'),
  ),
  handoff: Nullable(Handoff),
  away: Nullable(
    Type.Object(
      {
        message: Nullable(Str('Away message of the bot. `null`: not configured.')),
      },
      { description: 'Set outside of the opening hours. `handoff` is then `null`.' },
    ),
  ),
});

export const requestHandoff = operation({
  id: 'requestHandoff',
  feature: 'chat',
  method: 'POST',
  path: '/chat/handoff',
  summary: 'Ask for a person',
  description:
    'Hands the conversation over to the people of the space and emits the event `gatehouse.conversation.handoff`. The assistant does not answer until the handoff ends; messages to `POST /chat` are stored and shown to the team. Idempotent: during a handoff, the response shows it. Outside of the opening hours no handoff begins, and the response contains the away message. The request counts as a question. If the bot has no handoff, or the link stores no conversations, the response is 404.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  body: HandoffRequest,
  bodyExample: { id: 'q1Zk3v0b' },
  responses: {
    200: json('The handoff, or the away message.', RequestedHandoff, {
      conversationId: EXAMPLE_CONVERSATION_ID,
      handoff: exampleHandoff,
      away: null,
    }),
  },
  errors: [400, 401, 403, 404, 410, 429],
  errorExamples: { 404: UNAVAILABLE },
});

export const leaveHandoff = operation({
  id: 'leaveHandoff',
  feature: 'chat',
  method: 'DELETE',
  path: '/chat/conversations/{conversationId}/handoff',
  summary: 'Return to the assistant',
  description:
    'Ends the handoff of a conversation of the caller. Idempotent. The request also succeeds if the ID does not belong to a conversation of the caller.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: Type.Object({ conversationId: Uuid('ID of the conversation.') }),
  responses: { 204: { description: 'The conversation is not handed over.' } },
  errors: [400, 401, 403, 410],
});

const exampleUpdates = [
  { type: 'handoff', handoff: { ...exampleHandoff, state: 'active', author: 'Ada' } },
  {
    type: 'message',
    message: {
      id: '0199f3a2-c1d2-7d10-9a3b-4c5d6e7f8a90',
      role: 'assistant',
      parts: [{ type: 'text', text: 'I have sent the parcel again.' }],
      metadata: { createdAt: EXAMPLE_TIME, state: 'finished', author: 'Ada' },
    },
  },
];
const exampleUpdateStream = exampleUpdates
  .map((update) => `data: ${JSON.stringify(update)}\n\n`)
  .join('');

export const followHandoff = operation({
  id: 'followHandoff',
  feature: 'chat',
  method: 'GET',
  path: '/chat/conversations/{conversationId}/handoff/stream',
  summary: 'Follow a handoff',
  description:
    'Streams the handoff of a conversation of the caller: first its state and its messages so far, then each change and each new message. The stream ends when the handoff ends, and after at most ten minutes; the client then opens it again. Messages of an earlier stream are repeated with the same IDs. The response is 204 if the conversation is not handed over, or if the ID does not belong to a conversation of the caller.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: Type.Object({ conversationId: Uuid('ID of the conversation.') }),
  responses: {
    200: {
      description:
        'Server-sent events: `{ type: "handoff", handoff }` and `{ type: "message", message }`.',
      mediaType: 'text/event-stream',
      example: exampleUpdateStream,
    },
    204: { description: 'The conversation is not handed over.' },
  },
  errors: [400, 401, 403, 410, 429],
  errorExamples: {
    429: errorOf(
      'chat.too-many-streams',
      'Too many streams are open for this person. Close one of them.',
    ),
  },
});

const ConversationParams = Type.Object({
  ...SpaceParams.properties,
  conversationId: Uuid('ID of the conversation.'),
});
const PARAMS_EXAMPLE = { spaceId: EXAMPLE_SPACE_ID, conversationId: EXAMPLE_CONVERSATION_ID };

export const TeamMessage = Body({
  text: Text({
    minLength: 1,
    maxLength: MAX_TEAM_MESSAGE_LENGTH,
    description: 'Text in Markdown. At most 4,000 characters.',
  }),
  author: Type.Optional(
    Text({
      minLength: 1,
      maxLength: 100,
      description:
        'Name that the visitor sees. Default: the name of the user, never an email address. Required with an API key.',
    }),
  ),
});

export const SentTeamMessage = Type.Object({
  id: Uuid('ID of the message.'),
  text: Str('Text of the message.'),
  author: Str('Name that the visitor sees.'),
  createdAt: Timestamp('Time of the message.'),
});
export type SentTeamMessage = Type.Static<typeof SentTeamMessage>;

export const sendTeamMessage = operation({
  id: 'sendTeamMessage',
  feature: 'chat',
  method: 'POST',
  path: '/spaces/{spaceId}/conversations/{conversationId}/messages',
  idempotent: true,
  summary: 'Answer in a conversation that was handed over',
  description:
    'Stores a message of the team, which the visitor sees at once and after a reload. The first message changes the handoff to `active`. If the conversation is not handed over, the response is 409. Recorded in the audit without the text.',
  permission: PERMISSIONS.answerConversations,
  credentials: ['session', 'apiKey'],
  params: ConversationParams,
  paramsExample: PARAMS_EXAMPLE,
  body: TeamMessage,
  bodyExample: { text: 'I have sent the parcel again.', author: 'Ada' },
  responses: {
    201: json('The message was stored.', SentTeamMessage, {
      id: '0199f3a2-c1d2-7d10-9a3b-4c5d6e7f8a90',
      text: 'I have sent the parcel again.',
      author: 'Ada',
      createdAt: EXAMPLE_TIME,
    }),
  },
  errors: [400, 401, 403, 404, 409],
  errorExamples: { 409: NO_HANDOFF },
});

export const endHandoff = operation({
  id: 'endHandoff',
  feature: 'chat',
  method: 'DELETE',
  path: '/spaces/{spaceId}/conversations/{conversationId}/handoff',
  summary: 'End a handoff',
  description: 'The assistant answers the next message of the visitor. Idempotent.',
  permission: PERMISSIONS.answerConversations,
  credentials: ['session', 'apiKey'],
  params: ConversationParams,
  paramsExample: PARAMS_EXAMPLE,
  responses: { 204: { description: 'The conversation is not handed over.' } },
  errors: [400, 401, 403, 404],
});
