import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestResult } from '@gatehouse/contract';
import { idsOf, makeEvents, readFeed } from '../../support/events/events.ts';
import { type Client, type ClientResponse, clientOf } from '../../support/http/client.ts';
import { addDocument } from '../../support/knowledge/knowledge.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../../support/provision.ts';
import type { Cluster } from './cluster.ts';

const SENDERS = 4;
const EVENTS_PER_REQUEST = 10;
const SECRET = 'Periwinkle';
const OPEN = 'Marigold';
const QUESTION = {
  role: 'user',
  parts: [{ type: 'text', text: 'What is the password of the lift?' }],
};
const CLIENT_TIMEOUT_MS = 30_000;
/** Pause of a client after a completed request. Without pauses, the clients would take all processor time. */
const PAUSE_MS = 25;

export type Kind = 'events' | 'question' | 'link' | 'revocation' | 'revoked link';

interface Outcome {
  readonly kind: Kind;
  readonly at: number;
  /** Null if the connection broke or timed out. */
  readonly status: number | null;
  /** Description of an unexpected outcome. Null for successes and permitted failures. */
  readonly problem: string | null;
}

/**
 * Clients that continuously send requests to a cluster during a fault. Some clients send events and retry until each
 * event is accepted. Some ask questions through a link that permits one of two documents. Others create links, revoke
 * links and try to use revoked links.
 */
export class Traffic implements AsyncDisposable {
  readonly outcomes: Outcome[] = [];
  /** Number of interrupted answers of the assistant. A client notices the interruption and can ask again. */
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
      while (!this.#stopped) {
        await act();
        await sleep(PAUSE_MS);
      }
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

  /** Asserts that the log contains every acknowledged event once, and only events that were sent. */
  async assertKept(): Promise<void> {
    const { items } = await readFeed(this.#cluster.client, this.#key);
    const ids = idsOf(items.map(({ event }) => event));
    const kept = new Set(ids);
    assert.equal(kept.size, ids.length, 'an event was stored twice');
    const lost = this.#acknowledged.filter((id) => !kept.has(id));
    assert.deepEqual(lost, [], 'an acknowledged event was lost');
    assert.ok(ids.every((id) => this.#sent.has(id)));
  }

  problems(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { kind, problem } of this.outcomes)
      if (problem !== null)
        counts.set(`${kind}: ${problem}`, (counts.get(`${kind}: ${problem}`) ?? 0) + 1);
    return counts;
  }

  async #sendEvents(): Promise<void> {
    const events = makeEvents(EVENTS_PER_REQUEST, { data: 'x'.repeat(300) });
    for (const id of idsOf(events)) this.#sent.add(id);
    const body = { events };
    while (!this.#stopped) {
      const answer = await this.#send('events', '/events', { as: this.#key, body });
      if (answer?.status !== 200) continue;
      const { failed, eventIds } = JSON.parse(answer.text) as IngestResult;
      if (failed > 0) this.#report('events', `rejected: ${answer.text.slice(0, 300)}`);
      else this.#acknowledged.push(...eventIds);
      return;
    }
  }

  async #ask(as: string): Promise<void> {
    const body = { id: crypto.randomUUID(), messages: [{ ...QUESTION, id: 'q' }] };
    const answer = await this.#send('question', '/chat', { as, body });
    if (answer === null) this.brokenAnswers += 1;
    if (answer?.text.includes(SECRET)) this.#report('question', 'shows a hidden document');
    if (answer?.status === 200 && /"finish"/.test(answer.text) && !answer.text.includes(OPEN))
      if (!/"type":"error"/.test(answer.text))
        this.#report(
          'question',
          `does not show the permitted document: ${answer.text.slice(0, 300)}`,
        );
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
    // Every replica must reject the link immediately.
    for (const { url } of this.#cluster.replicas) await this.#useRevoked(revoked, clientOf(url));
  }

  async #tryRevoked(): Promise<void> {
    const revoked = this.#revoked[Math.floor(Math.random() * this.#revoked.length)];
    if (revoked !== undefined) await this.#useRevoked(revoked, this.#cluster.client, true);
  }

  /**
   * @param counts records the outcome. `false` for requests that go directly to a replica, because the replica may be
   * down.
   */
  async #useRevoked({ token, as }: { token: string; as: string }, client: Client, counts = false) {
    const tries = [
      client('/assistant-link/exchange', { body: { linkToken: token } }),
      client('/chat/conversations', { as }),
    ];
    for (const answer of await Promise.all(tries.map((one) => one.catch(() => null)))) {
      if (answer !== null && answer.status < 300) this.#report('revoked link', 'still works');
      if (counts) this.#record('revoked link', answer, [401, 410]);
    }
  }

  async #send(
    kind: Kind,
    path: string,
    send: Parameters<Client>[1],
  ): Promise<ClientResponse | null> {
    const late = AbortSignal.timeout(CLIENT_TIMEOUT_MS);
    const answer = await Promise.race([
      this.#cluster.client(path, send).catch(() => null),
      new Promise<null>((resolve) => late.addEventListener('abort', () => resolve(null))),
    ]);
    if (late.aborted) this.#report(kind, 'no answer within 30 seconds');
    // An interrupted stream cannot send a status code.
    else if (answer !== null || kind !== 'question') this.#record(kind, answer, [200, 204]);
    if (answer === null || answer.status === 503) await sleep(100);
    return answer;
  }

  #record(kind: Kind, answer: ClientResponse | null, good: readonly number[]): void {
    const status = answer?.status ?? null;
    const mayFail = status === 503 && answer?.headers.has('retry-after');
    const problem =
      status !== null && (good.includes(status) || mayFail)
        ? null
        : answer === null
          ? 'no answer'
          : `${status}${status === 503 ? ' without Retry-After' : ''} ${answer.text.slice(0, 200)}`;
    this.outcomes.push({ kind, at: performance.now(), status: mayFail ? 503 : status, problem });
  }

  #report(kind: Kind, problem: string): void {
    this.outcomes.push({ kind, at: performance.now(), status: null, problem });
  }
}
