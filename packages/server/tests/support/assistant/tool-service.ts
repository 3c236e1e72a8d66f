import assert from 'node:assert/strict';
import { ALLOW_RECEIVERS, type Receiver, startReceiver } from '../events/receiver.ts';
import { type ChatService, openChatService } from './chat-service.ts';

/** JSON Schema of the tools that `makeTool` creates. */
export const SCHEMA = {
  type: 'object',
  properties: { order: { type: 'string', maxLength: 20 } },
  required: ['order'],
  additionalProperties: false,
};

/** A service in the test process, and the backend that receives the calls of its tools. */
export interface ToolService extends AsyncDisposable {
  readonly service: ChatService;
  readonly backend: Receiver;
  /** Path of the tools of the bot. */
  readonly tools: string;
  /** Replaces the tools of the bot with one tool, which needs no consent by default. Forgets received calls. */
  makeTool(given?: object): Promise<{ readonly id: string; readonly secret: string }>;
}

export async function openToolService(): Promise<ToolService> {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await openChatService({ env: ALLOW_RECEIVERS }));
  const backend = opened.use(await startReceiver());
  const { client, session, space } = service;
  const tools = `/bots/${space.botId}/tools`;
  const all = opened.move();
  return {
    service,
    backend,
    tools,
    async makeTool(given = {}) {
      const { json } = await client(tools, { as: session });
      for (const { id } of json['items'] as { id: string }[])
        await client(`${tools}/${id}`, { method: 'DELETE', as: session });
      const answer = await client(tools, {
        as: session,
        body: {
          name: 'cancel_order',
          description: 'Cancels an order.',
          url: backend.url,
          inputSchema: SCHEMA,
          consent: false,
          ...given,
        },
      });
      assert.equal(answer.status, 201, answer.text);
      backend.received.length = 0;
      backend.behave(() => ({ status: 200, body: '{"cancelled":true}' }));
      return answer.json as unknown as { id: string; secret: string };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
