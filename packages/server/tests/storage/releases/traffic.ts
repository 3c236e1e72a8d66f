import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../../support/events/receiver.ts';
import { SteadyListener } from '../../support/events/steady-clients.ts';
import { subscribingIn } from '../../support/events/subscribing.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../../support/provision.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Cluster } from './cluster.ts';
import { DocumentClients } from './document-clients.ts';
import { EventClients } from './event-clients.ts';
import { LinkClients } from './link-clients.ts';
import { Recorder } from './recorder.ts';

/** Pause of a client after a completed request. Without pauses, the clients would take all processor time. */
const PAUSE_MS = 50;
/** Proportion of webhook requests that fail and are retried. */
const FAILED_DELIVERIES = 0.02;

/** Clients that send requests to a cluster until they are stopped. They know what the responses and the stored data must be. */
export class Traffic implements AsyncDisposable {
  readonly recorder: Recorder;
  readonly receiver: Receiver;
  readonly events: EventClients;
  readonly links: LinkClients;
  readonly documents: DocumentClients;
  readonly #listener: SteadyListener;
  readonly #running: Promise<unknown>;
  #stopped = false;

  static async start(cluster: Cluster, random: Seeded): Promise<Traffic> {
    await using opened = new AsyncDisposableStack();
    const { client } = cluster.balanced;
    const admin = await signIn(client);
    const { id: spaceId } = await makeSpace(client, admin);
    const scopes = ['links:write', 'events:write', 'knowledge:write', 'read'] as const;
    const key = await makeKey(client, admin, spaceId, scopes);
    const { token } = await makeLink(client, key, { permissionFilter: { team: { eq: 'all' } } });
    const session = await exchangeLink(client, token);
    const receiver = opened.use(await startReceiver());
    receiver.behave(() => ({ status: random.next() < FAILED_DELIVERIES ? 500 : 200 }));
    await subscribingIn(client, admin, spaceId).subscribe({ url: receiver.url });
    const listener = opened.use(new SteadyListener(cluster.balancer.url, key));
    const recorder = new Recorder();
    const common = { cluster, recorder, random, key };
    const documents = new DocumentClients({ ...common, spaceId, session });
    await documents.prepare();
    const events = new EventClients({ ...common, receiver, listener });
    const links = new LinkClients(common);
    opened.move();
    return new Traffic({ recorder, receiver, listener, events, links, documents });
  }

  private constructor(parts: {
    readonly recorder: Recorder;
    readonly receiver: Receiver;
    readonly listener: SteadyListener;
    readonly events: EventClients;
    readonly links: LinkClients;
    readonly documents: DocumentClients;
  }) {
    const { recorder, receiver, listener, events, links, documents } = parts;
    this.recorder = recorder;
    this.receiver = receiver;
    this.#listener = listener;
    this.events = events;
    this.links = links;
    this.documents = documents;
    const isStopped = () => this.#stopped;
    const repeat = async (act: () => Promise<void>) => {
      while (!this.#stopped) {
        await act();
        await sleep(PAUSE_MS);
      }
    };
    this.#running = Promise.all([
      repeat(() => events.send(isStopped)),
      repeat(() => events.sendToAll()),
      repeat(() => links.makeAndUse(isStopped)),
      repeat(() => links.tryAnyRevoked()),
      repeat(() => documents.ask()),
      repeat(async () => {
        await documents.replace(isStopped);
        await documents.hideOrShow(isStopped);
        await documents.upload(isStopped);
      }),
    ]);
  }

  /** Number of interrupted live streams, without rejected attempts to connect. */
  get brokenStreams(): number {
    return this.#listener.failures.filter((failure) => failure !== '503').length;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /**
   * Asserts that no acknowledged change was lost, on every running replica.
   *
   * @param keys also asserts that requests with an `Idempotency-Key` can still be repeated.
   */
  async assertKept({ keys }: { readonly keys: boolean }): Promise<void> {
    await this.events.assertKept();
    await this.links.assertKept(keys);
    await this.documents.assertKept();
  }

  summary(): string {
    const { requests, unavailable } = this.recorder;
    const { active, revoked } = this.links.count;
    const { editions, uploads } = this.documents.count;
    return (
      `${requests} requests, ${unavailable} answered 503; ${this.events.acknowledged} events acknowledged, ` +
      `${this.receiver.received.length} webhook requests; ${active + revoked} links, ${revoked} revoked; ` +
      `${editions} versions of a document, ${uploads} uploads; ${this.documents.brokenAnswers} answers and ` +
      `${this.brokenStreams} streams interrupted`
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#listener.stop();
    await this.receiver[Symbol.asyncDispose]();
  }
}
