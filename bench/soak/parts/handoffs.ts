import type { ConversationWithMessages } from '@gatehouse/contract';
import { Chat, openLink, textOf } from '../../../packages/server/tests/support/assistant/chat.ts';
import { until } from '../../../packages/server/tests/support/until.ts';
import { ask } from '../ask.ts';
import { oneByOne } from '../pace.ts';
import { attempt, type Part, request, type Setting } from '../setting.ts';

const PAUSE_MS = 5000;
const ARRIVES_WITHIN_MS = 30_000;

/** Hands conversations over to a person, who answers on another replica and then ends the handoff. */
export async function startHandoffs(setting: Setting): Promise<Part> {
  const { client, replicas, key, session, space, signal, failures } = setting;
  const changed = await client(`/bots/${space.botId}`, {
    method: 'PATCH',
    as: session,
    body: { handoff: {} },
  });
  if (changed.status !== 200) throw new Error(changed.text);
  let handoffs = 0;

  async function handOver(): Promise<void> {
    handoffs += 1;
    const { as } = await openLink(client, key, { sub: `caller-${handoffs}` });
    const chat = new Chat(replicas.url(handoffs), as, crypto.randomUUID());
    await ask(chat, 'Where is my parcel?');
    const handoff = { as, body: { id: chat.id } };
    const requested = await request(setting, 'handoff', '/chat/handoff', handoff);
    if (requested === null) return;
    const id = String(requested.json['conversationId']);
    if (textOf(await chat.ask('Is anybody there?')) !== '')
      failures.push('handoff: the assistant answered instead of a person');
    await using stream = await follow(
      `${replicas.url(handoffs + 1)}/chat/conversations/${id}/handoff/stream`,
      as,
    );
    const text = `Person ${handoffs} answers.`;
    const conversation = `/spaces/${space.id}/conversations/${id}`;
    const message = { as: session, body: { text, author: 'Grace' } };
    const sent = await request(setting, 'message of a person', `${conversation}/messages`, message);
    if (sent === null) return;
    await until(
      'the person who asked gets the message',
      () => stream.text().includes(text),
      ARRIVES_WITHIN_MS,
    );
    const ending = { method: 'DELETE', as: session };
    await request(setting, 'end of a handoff', `${conversation}/handoff`, ending);
    const shown = await request(setting, 'conversation', `/chat/conversations/${id}`, { as });
    if (shown === null) return;
    const { messages } = shown.json as unknown as ConversationWithMessages;
    if (messages.filter(({ metadata }) => metadata.author === 'Grace').length !== 1)
      failures.push('handoff: the conversation does not contain the message once');
    if (textOf(await ask(chat, 'And refunds?')) === '')
      throw new Error('the assistant does not answer after the end of the handoff');
  }

  return {
    run: () => oneByOne(PAUSE_MS, signal, () => attempt(setting, 'handoff, to its end', handOver)),
    // Each handoff is checked at its end.
    check: async () => [],
    counts: () => ({ handoffs }),
  };
}

/** Reads a stream of server-sent events until disposal. */
async function follow(
  url: string,
  as: string,
): Promise<AsyncDisposable & { readonly text: () => string }> {
  const ending = new AbortController();
  const headers = { authorization: `Bearer ${as}` };
  const response = await fetch(url, { headers, signal: ending.signal });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  let text = '';
  const read = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      text += part;
  };
  const ended = read().catch(() => {});
  return {
    text: () => text,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await ended;
    },
  };
}
