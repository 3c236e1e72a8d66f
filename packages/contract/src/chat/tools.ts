import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  FreeObject,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { GivenSecret, ShownSecret } from '../events/signing-secrets.ts';
import { errorOf, json, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import {
  MAX_TOOL_DESCRIPTION_LENGTH,
  MAX_TOOL_TITLE_LENGTH,
  TOOL_NAME_PATTERN,
} from './page-tool.rules.ts';

export const MAX_TOOLS = 20;
/** Time in seconds within which a person must consent to a call. */
export const CONSENT_SECONDS = 120;

export const ToolName = Type.String({
  pattern: TOOL_NAME_PATTERN,
  description:
    'Name by which the model calls the tool: lower-case letters, digits and `_`. Unique within the bot. The names `search`, `read` and `records` are reserved.',
});
export const Title = Nullable(
  Text({
    description: 'Name that the chat shows to the person. `null`: the chat shows `name`.',
    minLength: 1,
    maxLength: MAX_TOOL_TITLE_LENGTH,
  }),
);
export const Description = Text({
  description: 'Purpose of the tool and when to use it, for the model.',
  minLength: 1,
  maxLength: MAX_TOOL_DESCRIPTION_LENGTH,
});
/** Type of the events that report calls of tools without a URL. Only the service itself emits them. */
export const TOOL_EVENT_PREFIX = 'gatehouse.tool.';

const ToolUrl = Nullable(
  Text({
    minLength: 1,
    maxLength: 2000,
    description:
      'URL that receives calls by POST: `https://` or `http://`, without credentials or a fragment. The host must have a public address unless the operator allows its address. `null`: each call becomes an event `gatehouse.tool.called` of the space, and the model learns only that the call was passed on. Links with `chatHistory: false` do not have such a tool.',
  }),
);
export const ToolInputSchema = FreeObject(
  'JSON Schema of the arguments, at most 8,000 characters as JSON. The schema must have `type: "object"` and may use `type`, `properties`, `required`, `additionalProperties` (a boolean), `items`, `enum`, `const`, `anyOf`, `minimum`, `maximum`, `minLength`, `maxLength`, `minItems`, `maxItems`, `title`, `description` and `default`.',
);
const Consent = Type.Boolean({
  default: true,
  description:
    '`true`: the person must allow each call in the chat. `false`: the model may call the tool at any time, and MCP clients may call it. Default `true`.',
});

export const Tool = Type.Object({
  id: Uuid('ID of the tool.'),
  spaceId: Uuid('ID of the space.'),
  botId: Int('ID of the bot.'),
  name: ToolName,
  title: Title,
  description: Description,
  url: ToolUrl,
  inputSchema: ToolInputSchema,
  consent: Consent,
  createdAt: Timestamp('Time of creation.'),
  updatedAt: Timestamp('Time of the last change.'),
});
export type Tool = Type.Static<typeof Tool>;

export const ToolWithSecret = Type.Object({ ...Tool.properties, secret: ShownSecret });
export type ToolWithSecret = Type.Static<typeof ToolWithSecret>;
export const ToolList = ListOf(Tool);

export const NewTool = Body({
  name: ToolName,
  title: Type.Optional(Title),
  description: Description,
  url: Type.Optional(ToolUrl),
  inputSchema: ToolInputSchema,
  consent: Type.Optional(Consent),
  secret: Type.Optional(GivenSecret),
});
export type NewTool = Type.Static<typeof NewTool>;

export const ToolChange = Body({
  name: Type.Optional(ToolName),
  title: Type.Optional(Title),
  description: Type.Optional(Description),
  url: Type.Optional(ToolUrl),
  inputSchema: Type.Optional(ToolInputSchema),
  consent: Type.Optional(Consent),
  secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'New signing secret: `whsec_` followed by 24 to 64 bytes in base64 (Standard Webhooks). It replaces the previous secret immediately.',
    }),
  ),
});
export type ToolChange = Type.Static<typeof ToolChange>;

export const ToolDecision = Body({
  decision: OneOf(
    ['allow', 'deny'],
    '`allow`: the call is sent. `deny`: the assistant answers without it.',
  ),
});

const exampleTool: Tool = {
  id: '0199f3a2-d3e4-7b51-9c60-1a2b3c4d5e6f',
  spaceId: EXAMPLE_SPACE_ID,
  botId: 1,
  name: 'cancel_order',
  title: 'Cancel an order',
  description: 'Cancels an order that has not been shipped. Use it only if the person asks for it.',
  url: 'https://shop.example/tools/cancel-order',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'string', description: 'Number of the order.', maxLength: 20 } },
    required: ['order'],
    additionalProperties: false,
  },
  consent: true,
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
};

const BotParams = Type.Object({
  botId: Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'ID of the bot.',
  }),
});
const ToolParams = Type.Object({ ...BotParams.properties, toolId: Uuid('ID of the tool.') });

const forEditors = {
  feature: 'chat',
  permission: 'Requires the role `editor` or `owner` on the bot.',
  credentials: ['session'],
} as const;

const conflicts = {
  409: errorOf(
    'chat.tool-name-taken',
    'The bot already has a tool with this name; choose another name.',
  ),
} as const;

const onTool = {
  ...forEditors,
  path: '/bots/{botId}/tools/{toolId}',
  params: ToolParams,
  errors: [400, 401, 403, 404],
  errorExamples: { 404: errorOf('chat.no-tool', 'This bot has no tool with this ID.') },
} as const;

export const createTool = operation({
  ...forEditors,
  id: 'createTool',
  method: 'POST',
  path: '/bots/{botId}/tools',
  idempotent: true,
  summary: 'Create a tool',
  description:
    'The model of the bot can then call the URL while it answers. Each call is signed according to Standard Webhooks and contains the claims of the link. A bot has at most 20 tools. Without a model, tools are not used.',
  params: BotParams,
  body: NewTool,
  bodyExample: {
    name: exampleTool.name,
    title: exampleTool.title,
    description: exampleTool.description,
    url: exampleTool.url,
    inputSchema: exampleTool.inputSchema,
  },
  responses: {
    201: json('The created tool with its secret.', ToolWithSecret, {
      ...exampleTool,
      secret: 'whsec_…',
    }),
  },
  errors: [400, 401, 403, 409],
  errorExamples: conflicts,
});

export const listTools = operation({
  ...forEditors,
  id: 'listTools',
  method: 'GET',
  path: '/bots/{botId}/tools',
  summary: 'List the tools of a bot',
  params: BotParams,
  query: Type.Object(ListQuery),
  responses: { 200: jsonPage('Tools, oldest first.', ToolList, [exampleTool]) },
  errors: [400, 401, 403],
});

export const showTool = operation({
  ...onTool,
  id: 'showTool',
  method: 'GET',
  summary: 'Get a tool',
  responses: { 200: { description: 'The tool.', schema: Tool, example: exampleTool } },
});

export const changeTool = operation({
  ...onTool,
  id: 'changeTool',
  method: 'PATCH',
  summary: 'Update a tool',
  description:
    'Omitted members keep their values. A call that waits for consent is not sent after a change, because the person has seen the previous tool.',
  body: ToolChange,
  bodyExample: { consent: false },
  responses: { 200: { description: 'The tool.', schema: Tool, example: exampleTool } },
  errors: [400, 401, 403, 404, 409],
  errorExamples: { ...onTool.errorExamples, ...conflicts },
});

export const deleteTool = operation({
  ...onTool,
  id: 'deleteTool',
  method: 'DELETE',
  summary: 'Delete a tool',
  responses: { 204: { description: 'The tool was deleted.' } },
});

export const decideToolCall = operation({
  id: 'decideToolCall',
  feature: 'chat',
  method: 'POST',
  path: '/chat/tool-calls/{callId}/decision',
  summary: 'Allow or deny a tool call',
  description:
    'Answers a `tool-approval-request` part of the stream. The decision is final. A call without a decision within 120 seconds is denied.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: Type.Object({ callId: Uuid('`approvalId` of the part.') }),
  body: ToolDecision,
  bodyExample: { decision: 'allow' },
  responses: { 204: { description: 'The decision was stored.' } },
  errors: [400, 401, 403, 404, 410],
  errorExamples: {
    404: errorOf(
      'chat.no-tool-call',
      'No tool call with this ID waits for a decision of this link.',
    ),
  },
});
