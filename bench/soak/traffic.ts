import { openLink } from '../../packages/server/tests/support/assistant/chat.ts';
import { listen } from '../../packages/server/tests/support/events/event-stream.ts';
import { makeEvents } from '../../packages/server/tests/support/events/events.ts';
import { subscribingIn } from '../../packages/server/tests/support/events/subscribing.ts';
import {
  type Answer,
  type Client,
  clientOf,
} from '../../packages/server/tests/support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { type Latencies, steadily } from './pace.ts';

const EVENTS_PER_REQUEST = 100;
const DOCUMENTS = 300;
const LISTENERS = 20;
const WORDS = [
  'refund',
  'invoice',
  'delivery',
  'warranty',
  'order',
  'voucher',
  'account',
  'basket',
];

export interface TrafficOptions {
  /** One URL per replica. Clients alternate between them. */
  readonly urls: readonly string[];
  /** Target URL of the subscription. */
  readonly receiver: string;
  readonly latencies: Latencies;
  readonly batchesPerSecond: number;
  readonly signal: AbortSignal;
  readonly onFailure: (text: string) => void;
}

export async function runTraffic(options: TrafficOptions): Promise<void> {
  const { urls, latencies, signal, onFailure } = options;
  const clients = urls.map(clientOf);
  let turn = 0;
  const client: Client = (path, send) => {
    turn += 1;
    return (clients[turn % clients.length] as Client)(path, send);
  };
  const session = await signIn(client);
  const { id: spaceId } = await makeSpace(client, session);
  const scopes = ['links:write', 'events:write', 'knowledge:write', 'read'] as const;
  const key = await makeKey(client, session, spaceId, scopes);
  await client(`/spaces/${spaceId}`, {
    method: 'PATCH',
    as: session,
    // The events reach this limit within minutes, so old events are removed during most of the run.
    body: { eventRetention: { maxBytes: 16 * 1024 * 1024 } },
  });
  await subscribingIn(client, session, spaceId).subscribe({
    url: options.receiver,
    types: ['test.order.paid.*'],
  });

  async function timed(kind: string, send: () => Promise<Answer>): Promise<Answer | null> {
    const startedAt = performance.now();
    try {
      const answer = await send();
      latencies.add(kind, performance.now() - startedAt);
      if (answer.status < 300) return answer;
      onFailure(`${kind}: ${answer.status} ${answer.text.slice(0, 200)}`);
    } catch (error) {
      if (!signal.aborted) onFailure(`${kind}: ${(error as Error).message}`);
    }
    return null;
  }

  const documents: string[] = [];
  const sentence = () => Array.from({ length: 12 }, () => WORDS[Math.floor(Math.random() * 8)]);
  const path = `/spaces/${spaceId}/documents`;

  async function events(): Promise<void> {
    const type = Math.random() < 0.1 ? 'test.order.paid.now' : 'test.order.seen';
    const made = makeEvents(EVENTS_PER_REQUEST, { type, data: crypto.randomUUID().repeat(8) });
    // 5 % of the events are duplicates.
    const duplicates = made.slice(0, 5);
    const send = (sent: object[]) => client('/events', { as: key, body: { events: sent } });
    if ((await timed('events', () => send(made))) !== null)
      await timed('events', () => send([...duplicates, ...makeEvents(95, { type })]));
  }

  async function links(): Promise<void> {
    const body = { sub: crypto.randomUUID(), permissionFilter: { team: { in: ['a', 'b'] } } };
    const made = await timed('link', () => client('/assistant-link', { as: key, body }));
    const linkToken = made?.json['token'];
    await timed('exchange', () => client('/assistant-link/exchange', { body: { linkToken } }));
    const id = made?.headers.get('location')?.split('/').at(-1);
    if (Math.random() < 0.5)
      await timed('revoke', () => client(`/assistant-link/${id}`, { method: 'DELETE', as: key }));
  }

  async function replaceDocuments(): Promise<void> {
    const metadata = { team: Math.random() < 0.5 ? 'a' : 'c', id: crypto.randomUUID() };
    const text = Array.from({ length: 20 }, () => `${sentence().join(' ')}.`).join('\n\n');
    const document = { fileName: `${metadata.id}.txt`, text, metadata };
    const made = await timed('upload', () => client(path, { as: key, body: document }));
    if (made !== null) documents.push(String(made.json['id']));
    const oldest = documents.length > DOCUMENTS ? documents.shift() : undefined;
    if (oldest !== undefined)
      await timed('delete', () => client(`${path}/${oldest}`, { method: 'DELETE', as: key }));
  }

  async function search(): Promise<void> {
    const body = { query: sentence().slice(0, 3).join(' '), filter: { team: { eq: 'a' } } };
    await timed('search', () => client(`/spaces/${spaceId}/search`, { as: key, body }));
  }

  async function question(): Promise<void> {
    const { as } = await openLink(client, key, { sub: `p${Math.floor(Math.random() * 500)}` });
    const parts = [{ type: 'text', text: `What of ${sentence().slice(0, 2).join(' and ')}?` }];
    const body = { id: crypto.randomUUID(), messages: [{ id: 'q', role: 'user', parts }] };
    await timed('question', () => client('/chat', { as, body }));
    const { json } = await client('/chat/conversations', { as });
    const [one] = (json['items'] ?? []) as { id: string }[];
    if (one !== undefined)
      await timed('delete conversation', () =>
        client(`/chat/conversations/${one.id}`, { method: 'DELETE', as }),
      );
  }

  async function feed(): Promise<void> {
    await timed('feed', () => client('/events?limit=100', { as: key }));
    await timed('metrics', () => client('/metrics'));
  }

  async function listener(index: number): Promise<void> {
    while (!signal.aborted) {
      const url = urls[index % urls.length] ?? '';
      using stream = await listen(url, { as: key, query: '?type=test.order.paid.now' });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 5000 + Math.random() * 20_000);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
        void stream.ended.then(() => resolve());
      });
    }
  }

  await Promise.all([
    steadily(options.batchesPerSecond / 2, signal, events),
    steadily(5, signal, links),
    steadily(2, signal, replaceDocuments),
    steadily(5, signal, search),
    steadily(2, signal, question),
    steadily(2, signal, feed),
    ...Array.from({ length: LISTENERS }, (_, index) => listener(index)),
  ]);
}
