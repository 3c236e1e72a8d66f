import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestResult } from '@gatehouse/contract';
import { type Answer, type Client, clientOf } from '../../support/client.ts';
import { idsOf, makeEvents, readFeed } from '../../support/events.ts';
import { addDocument } from '../../support/knowledge.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../../support/provision.ts';
import type { Cluster } from './cluster.ts';

const SENDERS = 4;
const EVENTS_A_REQUEST = 10;
const SECRET = 'Periwinkle';
const OPEN = 'Marigold';
const QUESTION = {
  role: 'user',
  parts: [{ type: 'text', text: 'What is the password of the lift?' }],
};
/** A client that waits longer than this has given up, as people do. */
const PATIENCE_MS = 30_000;

/** What clients do. */
export type Kind = 'events' | 'question' | 'link' | 'revocation' | 'revoked link';

interface Said {
  readonly kind: Kind;
  /** Of the process's monotonic clock. */
  readonly at: number;
  /** Null: the connection broke, or nothing came. */
  readonly status: number | null;
  /** What is wrong about it; null: it went well, or failed as it may. */
  readonly wrong: string | null;
}

/**
 * Clients of a cluster that go on whatever happens to it: they send events, and again until they are accepted;
 * ask, behind a link that shows one document of two; make links, revoke them, and try those that were revoked.
 */
export class Traffic implements AsyncDisposable {
  readonly said: Said[] = [];
  /** Answers of the assistant that ended before their end: who asked sees that, and asks again. */
  brokenAnswers = 0;
  readonly #cluster: Cluster;
  readonly #acknowledged: string[] = [];
  readonly #sent = new Set<string>();
  readonly #revoked: { readonly token: string; readonly as: string }[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #key = '';

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async start(): Promise<void> {
    const { client } = this.#cluster;
    const session = await signIn(client);
    const { id: spaceId } = await makeSpace(client, session);
    this.#key = await makeKey(client, session, spaceId);
    for (const [word, team] of [
      [SECRET, 'board'],
      [OPEN, 'all'],
    ]) {
      const text = `The password of the lift is ${word}.`;
      const document = { fileName: `${team}.txt`, text, metadata: { team } };
      await addDocument(client, session, spaceId, document);
    }
    const filter = { team: { eq: 'all' } };

    const { token } = await makeLink(client, this.#key, { permissionFilter: filter });
    const as = await exchangeLink(client, token);
    const repeat = async (act: () => Promise<void>) => {
      while (!this.#stopped) await act();
    };
    this.#running = Promise.all([
      ...Array.from({ length: SENDERS }, () => repeat(() => this.#sendEvents())),
      repeat(() => this.#ask(as)),
      repeat(() => this.#makeAndRevoke()),
      repeat(() => this.#tryRevoked()),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** That what was acknowledged is in the feed, once, and nothing that nobody sent. */
  async assertKept(): Promise<void> {
    const { items } = await readFeed(this.#cluster.client, this.#key);
    const ids = idsOf(items.map(({ event }) => event));
    const kept = new Set(ids);
    assert.equal(kept.size, ids.length, 'an event is in the feed twice');
    const lost = this.#acknowledged.filter((id) => !kept.has(id));
    assert.deepEqual(lost, [], 'an acknowledged event is lost');
    assert.ok(ids.every((id) => this.#sent.has(id)));
  }

  /** What was wrong, with how often. */
  wrongs(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { kind, wrong } of this.said)
      if (wrong !== null)
        counts.set(`${kind}: ${wrong}`, (counts.get(`${kind}: ${wrong}`) ?? 0) + 1);
    return counts;
  }

  async #sendEvents(): Promise<void> {
    const events = makeEvents(EVENTS_A_REQUEST, { data: 'x'.repeat(300) });
    for (const id of idsOf(events)) this.#sent.add(id);
    const body = { events };
    while (!this.#stopped) {
      const answer = await this.#send('events', '/events', { as: this.#key, body });
      if (answer?.status !== 200) continue;
      const { failed, eventIds } = JSON.parse(answer.text) as IngestResult;
      if (failed > 0) this.#wrong('events', `refused: ${answer.text.slice(0, 300)}`);
      else this.#acknowledged.push(...eventIds);
      return;
    }
  }

  async #ask(as: string): Promise<void> {
    const body = { id: crypto.randomUUID(), messages: [{ ...QUESTION, id: 'q' }] };
    const answer = await this.#send('question', '/chat', { as, body });
    if (answer === null) this.brokenAnswers += 1;
    if (answer?.text.includes(SECRET)) this.#wrong('question', 'shows what is hidden');
    if (answer?.status === 200 && /"finish"/.test(answer.text) && !answer.text.includes(OPEN))
      if (!/data-state|failed/.test(answer.text))
        this.#wrong('question', `does not show what is open: ${answer.text.slice(0, 300)}`);
    await sleep(50);
  }

  async #makeAndRevoke(): Promise<void> {
    const link = await this.#send('link', '/assistant-link', { as: this.#key, body: {} });
    if (link?.status !== 200) return;
    const token = String(link.json['token']);
    const id = link.headers.get('location')?.split('/').at(-1) ?? '';
    const opened = await this.#send('link', '/assistant-link/exchange', {
      body: { linkToken: token },
    });
    if (opened?.status !== 200) return;
    const revoke = { as: this.#key, method: 'DELETE' };
    while ((await this.#send('revocation', `/assistant-link/${id}`, revoke))?.status !== 204)
      if (this.#stopped) return;
    const revoked = { token, as: String(opened.json['accessToken']) };
    this.#revoked.push(revoked);
    // Each replica, at once, by itself.
    for (const { url } of this.#cluster.replicas) await this.#try(revoked, clientOf(url));
  }

  async #tryRevoked(): Promise<void> {
    await sleep(20);
    const revoked = this.#revoked[Math.floor(Math.random() * this.#revoked.length)];
    if (revoked !== undefined) await this.#try(revoked, this.#cluster.client, true);
  }

  /** @param counts whether an error of it says something of the load balancer. */
  async #try({ token, as }: { token: string; as: string }, client: Client, counts = false) {
    const tries = [
      client('/assistant-link/exchange', { body: { linkToken: token } }),
      client('/chat/conversations', { as }),
    ];
    for (const answer of await Promise.all(tries.map((one) => one.catch(() => null)))) {
      if (answer !== null && answer.status < 300) this.#wrong('revoked link', 'works');
      if (counts) this.#note('revoked link', answer, [401, 410]);
    }
  }

  async #send(kind: Kind, path: string, send: Parameters<Client>[1]): Promise<Answer | null> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    const answer = await Promise.race([
      this.#cluster.client(path, send).catch(() => null),
      new Promise<null>((resolve) => late.addEventListener('abort', () => resolve(null))),
    ]);
    if (late.aborted) this.#wrong(kind, 'no answer in half a minute');
    // A stream that has begun can only break off.
    else if (answer !== null || kind !== 'question') this.#note(kind, answer, [200, 204]);
    if (answer === null || answer.status === 503) await sleep(100);
    return answer;
  }

  #note(kind: Kind, answer: Answer | null, good: readonly number[]): void {
    const status = answer?.status ?? null;
    const mayFail = status === 503 && answer?.headers.has('retry-after');
    const wrong =
      status !== null && (good.includes(status) || mayFail)
        ? null
        : answer === null
          ? 'no answer'
          : `${status}${status === 503 ? ' without Retry-After' : ''} ${answer.text.slice(0, 200)}`;
    this.said.push({ kind, at: performance.now(), status: mayFail ? 503 : status, wrong });
  }

  #wrong(kind: Kind, wrong: string): void {
    this.said.push({ kind, at: performance.now(), status: null, wrong });
  }
}
