import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestResult } from '@gatehouse/contract';
import { assertDelivered } from '../../support/events/delivered.ts';
import { idsOf, makeEvent, readFeed, type SentEvent } from '../../support/events/events.ts';
import type { Receiver } from '../../support/events/receiver.ts';
import type { SteadyListener } from '../../support/events/steady-clients.ts';
import type { Seeded } from '../../support/seeded.ts';
import { until } from '../../support/until.ts';
import type { Cluster, Target } from './cluster.ts';
import type { Recorder } from './recorder.ts';

const EVENTS_PER_REQUEST = 8;
const SUBJECTS = 20;
/** Proportion of events in a request that an earlier request contained. */
const RESENT = 0.3;

interface EventClientsOptions {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly random: Seeded;
  readonly key: string;
  readonly receiver: Receiver;
  readonly listener: SteadyListener;
}

/** Clients that send events, and the consumers of these events. Some events are sent repeatedly, on replicas of both releases. */
export class EventClients {
  readonly #options: EventClientsOptions;
  readonly #sent: SentEvent[] = [];
  readonly #acknowledged = new Set<string>();

  constructor(options: EventClientsOptions) {
    this.#options = options;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Sends one request through the load balancer, until it is accepted. */
  async send(isStopped: () => boolean): Promise<void> {
    const events = this.#nextEvents();
    while (!(await this.#sendTo(this.#options.cluster.balanced, events)) && !isStopped())
      await sleep(100);
  }

  /** Sends the same request to all replicas at the same time. */
  async sendToAll(): Promise<void> {
    const events = this.#nextEvents();
    const targets = this.#options.cluster.targets();
    await Promise.all(targets.map((target) => this.#sendTo(target, events)));
  }

  /**
   * Asserts that every replica has every acknowledged event once, and only events that were sent. Asserts that every stored event was
   * delivered to the subscription in order, and was shown once on the live stream.
   */
  async assertKept(): Promise<void> {
    const { cluster, key, receiver, listener } = this.#options;
    const feeds = [];
    for (const { client } of cluster.targets())
      feeds.push((await readFeed(client, key)).items.map(({ event }) => event));
    const [feed = []] = feeds;
    for (const other of feeds) assert.deepEqual(idsOf(other), idsOf(feed));
    const kept = new Set(idsOf(feed));
    assert.equal(kept.size, feed.length, 'an event was stored twice');
    const lost = [...this.#acknowledged].filter((id) => !kept.has(id));
    assert.deepEqual(lost, [], 'an acknowledged event was lost');
    const sent = new Set(idsOf(this.#sent));
    assert.ok([...kept].every((id) => sent.has(id)));

    await until('all events are delivered', () => new Set(receiver.taken()).size >= feed.length);
    assertDelivered(receiver, feed);
    await until('the listener received all events', () => listener.count >= feed.length);
    await listener.stop();
    assert.deepEqual(listener.heard, idsOf(feed));
  }

  #nextEvents(): SentEvent[] {
    const { random } = this.#options;
    const older = this.#sent.length;
    return Array.from({ length: EVENTS_PER_REQUEST }, () => {
      if (older > 0 && random.next() < RESENT) return this.#sent[random.below(older)] as SentEvent;
      const event = makeEvent({
        subject: `s${random.below(SUBJECTS)}`,
        data: 'x'.repeat(random.below(500)),
      });
      this.#sent.push(event);
      return event;
    });
  }

  /** Returns `false` if the request was not acknowledged. */
  async #sendTo(target: Target, events: readonly SentEvent[]): Promise<boolean> {
    const { recorder, key } = this.#options;
    const answer = await recorder.send(target, '/events', { as: key, body: { events } }, [200]);
    if (answer === null) return false;
    const { failed } = JSON.parse(answer.text) as IngestResult;
    if (failed > 0)
      recorder.report(`${target.name}: rejected an event: ${answer.text.slice(0, 200)}`);
    else for (const id of idsOf(events)) this.#acknowledged.add(id);
    return true;
  }
}
