import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientResponse } from '../../support/http/client.ts';
import { inParallel } from '../../support/knowledge/knowledge.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Cluster, Target } from './cluster.ts';
import type { Recorder } from './recorder.ts';

const REVOKED = [401, 410];
/** Proportion of links that are revoked. */
const REVOCATIONS = 0.6;
/** Number of links that are checked at the same time. */
const AT_ONCE = 8;

interface LinkClientsOptions {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly random: Seeded;
  readonly key: string;
}

interface Link {
  /** The `sub` of the link, and the `Idempotency-Key` of its request. */
  readonly id: string;
  readonly token: string;
}

interface RevokedLink extends Link {
  /** A session of the link. */
  readonly as: string;
}

/**
 * Clients that create each link on one replica, repeat the request on another one, exchange and use the link on all replicas, and
 * revoke some links.
 */
export class LinkClients {
  readonly #options: LinkClientsOptions;
  readonly #active: Link[] = [];
  readonly #revoked: RevokedLink[] = [];

  constructor(options: LinkClientsOptions) {
    this.#options = options;
  }

  get count(): { readonly active: number; readonly revoked: number } {
    return { active: this.#active.length, revoked: this.#revoked.length };
  }

  async makeAndUse(isStopped: () => boolean): Promise<void> {
    const { recorder, random, key, cluster } = this.#options;
    const [first, ...others] = this.#targets();
    if (first === undefined) return;
    const request = { id: randomUUID() };
    const made = await this.#create(request.id, first, isStopped);
    if (made === null) return;
    const link: Link = { ...request, token: String(made.json['token']) };
    for (const target of others) await this.#repeat(link, target);
    const list = await recorder.send(
      cluster.balanced,
      `/assistant-link?sub=${link.id}`,
      { as: key },
      [200],
    );
    if (list !== null && (list.json['items'] as unknown[]).length !== 1)
      recorder.report('one key created several links');
    const session = await this.#useOnAll(link);
    if (session === null || random.next() > REVOCATIONS) {
      this.#active.push(link);
      return;
    }
    const path = made.headers.get('location') ?? '';
    const revoke = { as: key, method: 'DELETE' };
    const [target = cluster.balanced] = this.#targets();
    let ended = await recorder.send(target, path, revoke, [204]);
    while (ended === null) {
      if (isStopped()) return;
      await sleep(100);
      ended = await recorder.send(cluster.balanced, path, revoke, [204]);
    }
    const revoked = { ...link, as: session };
    this.#revoked.push(revoked);
    // Every replica must reject the link immediately.
    await this.#tryRevoked(revoked);
  }

  /** Tries a random revoked link on all replicas. */
  async tryAnyRevoked(): Promise<void> {
    const { random } = this.#options;
    if (this.#revoked.length > 0) await this.#tryRevoked(random.pick(this.#revoked));
  }

  /**
   * Asserts that all replicas accept each active link and reject each revoked one.
   *
   * @param keys also asserts that the repetition of each request returns the same link.
   */
  async assertKept(keys: boolean): Promise<void> {
    const { cluster, key, recorder } = this.#options;
    await inParallel(this.#revoked, AT_ONCE, (link) => this.#tryRevoked(link));
    await inParallel(this.#active, AT_ONCE, async ({ id, token }) => {
      for (const { client, name } of cluster.targets()) {
        const opened = await client('/assistant-link/exchange', { body: { linkToken: token } });
        assert.equal(opened.status, 200, `${name}: ${opened.text}`);
      }
      if (keys) for (const target of cluster.targets()) await this.#repeat({ id, token }, target);
      const { json } = await cluster.balanced.client(`/assistant-link?sub=${id}`, { as: key });
      assert.equal((json['items'] as unknown[]).length, 1, 'one key created several links');
    });
    assert.deepEqual(recorder.problems, []);
  }

  /** Returns the running replicas in random order. */
  #targets(): Target[] {
    const targets = this.#options.cluster.targets();
    return this.#options.random.next() < 0.5 ? targets : targets.reverse();
  }

  /** Repeats the request with the same key until it is answered. */
  async #create(
    id: string,
    first: Target,
    isStopped: () => boolean,
  ): Promise<ClientResponse | null> {
    const { recorder, cluster } = this.#options;
    let answer = await recorder.send(first, '/assistant-link', this.#request(id), [200]);
    while (answer?.status !== 200) {
      if (isStopped()) return null;
      await sleep(100);
      // The key of a request on a killed replica becomes free after some seconds.
      const expected = [200, 409];
      answer = await recorder.send(
        cluster.balanced,
        '/assistant-link',
        this.#request(id),
        expected,
      );
    }
    return answer;
  }

  async #repeat({ id, token }: Link, target: Target): Promise<void> {
    const { recorder } = this.#options;
    const again = await recorder.send(target, '/assistant-link', this.#request(id), [200]);
    if (again !== null && again.json['token'] !== token)
      recorder.report(`${target.name}: a repeated request returned another link`);
  }

  #request(id: string) {
    const body = { sub: id, permissionFilter: { team: { eq: 'all' } } };
    return { as: this.#options.key, body, headers: { 'idempotency-key': id } };
  }

  /** Exchanges a link on each replica, and uses the session on the others. Returns the last session. */
  async #useOnAll({ token }: Link): Promise<string | null> {
    const { recorder, cluster } = this.#options;
    let session: string | null = null;
    for (const target of this.#targets()) {
      const body = { linkToken: token };
      const opened = await recorder.send(target, '/assistant-link/exchange', { body }, [200]);
      if (opened === null) continue;
      session = String(opened.json['accessToken']);
      for (const other of cluster.targets())
        await recorder.send(other, '/chat/conversations', { as: session }, [200]);
    }
    return session;
  }

  async #tryRevoked({ token, as }: RevokedLink): Promise<void> {
    const { recorder, cluster } = this.#options;
    const body = { linkToken: token };
    await Promise.all(
      cluster
        .targets()
        .flatMap((target) => [
          recorder.send(target, '/assistant-link/exchange', { body }, REVOKED),
          recorder.send(target, '/chat/conversations', { as }, REVOKED),
        ]),
    );
  }
}
