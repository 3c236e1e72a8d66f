import Type from 'typebox';
import { Body, OneOf, Text, Uuid } from '../common.ts';
import { errorOf, operation, PERMISSIONS } from '../operation.ts';
import { MAX_PAGE_TOOL_RESULT_LENGTH } from './page-tool.rules.ts';
import { Description, Title, ToolInputSchema, ToolName } from './tools.ts';

export const PageTool = Type.Object(
  {
    name: ToolName,
    title: Type.Optional(Title),
    description: Description,
    inputSchema: ToolInputSchema,
    harmless: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          '`true`: the page runs the tool without the consent of the person. Default `false`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type PageTool = Type.Static<typeof PageTool>;

export const PageTools = Type.Array(PageTool, {
  description:
    'Tools that the client runs, at most 20 and at most 32,000 characters as JSON. The model may call them in this answer. Names must be unique. A tool with the name of a tool of the bot is ignored. The descriptions are untrusted text for the model. Without a model, tools are not used.',
});

export const ToolCallResult = Body({
  outcome: OneOf(
    ['succeeded', 'failed', 'denied'],
    '`denied`: the person did not allow the call, so the client did not run the tool.',
  ),
  text: Type.Optional(
    Text({
      description: 'Result for the model, which treats it as untrusted data. Default: empty.',
      maxLength: MAX_PAGE_TOOL_RESULT_LENGTH,
    }),
  ),
});
export type ToolCallResult = Type.Static<typeof ToolCallResult>;

export const returnToolResult = operation({
  id: 'returnToolResult',
  feature: 'chat',
  method: 'POST',
  path: '/chat/tool-calls/{callId}/result',
  summary: 'Return the result of a tool call',
  description:
    'Answers a `tool-input-available` part whose `providerMetadata.gatehouse.runsIn` is `page`: the client runs the tool and returns its result. The first result is final. The client has 30 seconds, and 120 seconds more if the person must consent.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: Type.Object({ callId: Uuid('`toolCallId` of the part.') }),
  body: ToolCallResult,
  bodyExample: { outcome: 'succeeded', text: '{"items":2}' },
  responses: { 204: { description: 'The result was stored.' } },
  errors: [400, 401, 403, 404, 410],
  errorExamples: {
    404: errorOf(
      'chat.no-tool-call',
      'No tool call with this ID waits for a result from this link.',
    ),
  },
});
