import { openLink } from '../../packages/server/tests/support/chat.ts';
import { type Answer, type Client, clientOf } from '../../packages/server/tests/support/client.ts';
import { listen } from '../../packages/server/tests/support/event-stream.ts';
import { makeEvents } from '../../packages/server/tests/support/events.ts';
import { makeKey, makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { subscribingIn } from '../../packages/server/tests/support/subscribing.ts';
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
  /** One address for each replica; clients go to each in turn. */
  readonly urls: readonly string[];
  /** Where a subscription sends to. */
  readonly receiver: string;
  readonly latencies: Latencies;
  readonly batchesPerSecond: number;
  readonly signal: AbortSignal;
  readonly onFailure: (text: string) => void;
}

/** All that a service does, at a steady rate; resolves when it was aborted and all has ended. */
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
    // Reached within some minutes, so that the oldest are removed for most of the time.
    body: { eventRetention: { maxBytes: 16 * 1024 * 1024 } },
  });
  await subscribingIn(client, session, spaceId).subscribe({
    url: options.receiver,
    types: ['test.order.paid.*'],
  });

  /** Times one request; what is not good is told. */
  async function timed(kind: string, asked: () => Promise<Answer>): Promise<Answer | null> {
    const begun = performance.now();
    try {
      const answer = await asked();
      latencies.add(kind, performance.now() - begun);
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
    // One in twenty was sent before.
    const again = made.slice(0, 5);
    const send = (sent: object[]) => client('/events', { as: key, body: { events: sent } });
    if ((await timed('events', () => send(made))) !== null)
      await timed('events', () => send([...again, ...makeEvents(95, { type })]));
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

  async function churn(): Promise<void> {
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
      await timed('forget', () =>
        client(`/chat/conversations/${one.id}`, { method: 'DELETE', as }),
      );
  }

  async function feed(): Promise<void> {
    await timed('feed', () => client('/events?limit=100', { as: key }));
    await timed('metrics', () => client('/metrics'));
  }

  /** One that listens for a while, leaves and comes again. */
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
    steadily(2, signal, churn),
    steadily(5, signal, search),
    steadily(2, signal, question),
    steadily(2, signal, feed),
    ...Array.from({ length: LISTENERS }, (_, index) => listener(index)),
  ]);
}
