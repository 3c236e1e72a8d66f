import { Chat, openLink, textOf } from '../../../packages/server/tests/support/assistant/chat.ts';
import type {
  Behaviour,
  ModelRequest,
} from '../../../packages/server/tests/support/assistant/fake-model.ts';
import { echo } from '../../../packages/server/tests/support/assistant/shown-prompt.ts';
import { SCHEMA } from '../../../packages/server/tests/support/assistant/tool-service.ts';
import type { Receiver } from '../../../packages/server/tests/support/events/receiver.ts';
import { makeKey, makeSpace } from '../../../packages/server/tests/support/provision.ts';
import { oneByOne } from '../pace.ts';
import { attempt, type Part, request, type Setting, violations } from '../setting.ts';

const PAUSE_MS = 4000;
const TOOL = 'cancel_order';

/** Echoes the question, unless the model has a tool: then calls the tool once, and answers with its result. */
export function answerOrCall(asked: ModelRequest): Behaviour {
  if (!asked.tools.includes(TOOL)) return echo(asked);
  const last = asked.messages.at(-1);
  if (last?.role === 'tool')
    return { does: 'answer', pieces: ['The result is: ', last.content ?? ''] };
  const [, order = ''] = /Cancel order (o\d+)/.exec(last?.content ?? '') ?? [];
  return { does: 'call', calls: [{ name: TOOL, input: { order } }] };
}

/** Asks questions for which the model calls a tool of a backend. */
export async function startToolCalls(setting: Setting, backend: Receiver): Promise<Part> {
  const { client, session, replicas, signal } = setting;
  const space = await makeSpace(client, session, { name: 'Tools' });
  const key = await makeKey(client, session, space.id, ['links:write']);
  const made = await client(`/bots/${space.botId}/tools`, {
    as: session,
    body: {
      name: TOOL,
      description: 'Cancels an order.',
      url: backend.url,
      inputSchema: SCHEMA,
      consent: false,
    },
  });
  if (made.status !== 201) throw new Error(made.text);
  const calls = new Map<string, number>();
  backend.behave(({ event }) => {
    backend.received.length = 0;
    const { order } = (event['data'] as { arguments: { order: string } }).arguments;
    calls.set(order, (calls.get(order) ?? 0) + 1);
    return { status: 200, body: JSON.stringify({ cancelled: order }) };
  });
  let asked = 0;
  const answered = new Set<string>();

  async function ask(): Promise<void> {
    asked += 1;
    const order = `o${asked}`;
    const { as } = await openLink(client, key, { sub: `buyer-${asked}` });
    const chat = new Chat(replicas.url(asked), as, crypto.randomUUID(), {
      resumable: true,
    });
    const answer = textOf(await chat.ask(`Cancel order ${order}`));
    if (!answer.includes(`{"cancelled":"${order}"}`)) throw new Error(`the answer is ${answer}`);
    answered.add(order);
    await request(setting, 'tool list', `/bots/${space.botId}/tools`, { as: session });
  }

  return {
    run: () => oneByOne(PAUSE_MS, signal, () => attempt(setting, 'question with a tool', ask)),
    check: async () =>
      violations({
        'calls with an answer that the backend did not get': answered.difference(calls).size,
        'calls that the backend got more than once': [...calls.values()].filter(
          (count) => count > 1,
        ).length,
      }),
    counts: () => ({ toolCalls: asked }),
  };
}
