import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, clientOf } from '../../packages/server/tests/support/http/client.ts';
import type { ChildServer } from '../../packages/server/tests/support/services/child-server.ts';
import { logProblems } from './log-problems.ts';

/** Conversations and handoffs that use a replica end within this time. */
const DRAIN_MS = 10_000;

/** The replicas of the service. The load uses those that are in rotation, as behind a load balancer. */
export class Replicas implements AsyncDisposable {
  readonly #start: (index: number) => Promise<ChildServer>;
  readonly #services: ChildServer[];
  readonly #problems: string[] = [];
  readonly #withdrawn = new Set<number>();
  #turn = 0;

  private constructor(
    start: (index: number) => Promise<ChildServer>,
    services: readonly ChildServer[],
  ) {
    this.#start = start;
    this.#services = [...services];
  }

  /** @param start starts a replica. A later start of the same replica must use the same port. */
  static async start(
    count: number,
    start: (index: number) => Promise<ChildServer>,
  ): Promise<Replicas> {
    const services: ChildServer[] = [];
    for (let index = 0; index < count; index += 1) services.push(await start(index));
    return new Replicas(start, services);
  }

  get all(): readonly ChildServer[] {
    return this.#services;
  }

  /** Alternates between the replicas in rotation. */
  readonly client: Client = (path, send) => {
    this.#turn += 1;
    return clientOf(this.url(this.#turn))(path, send);
  };

  isInRotation(index: number): boolean {
    return !this.#withdrawn.has(index);
  }

  /** Returns the URL of a replica in rotation. Consecutive numbers alternate between the replicas. */
  url(number: number): string {
    const index = number % this.#services.length;
    const inRotation = this.#services.filter((_, at) => this.isInRotation(at));
    const used = this.isInRotation(index) ? this.#services[index] : inRotation[0];
    if (used === undefined) throw new Error('no replica is in rotation');
    return used.url;
  }

  /**
   * Takes a replica out of rotation, ends it and starts it again. There must be another replica. If the replica does not start again, it
   * stays out of rotation.
   *
   * @param signal `SIGKILL` also interrupts background work, such as deliveries.
   * @throws if the replica does not start, or if no other replica is in rotation.
   */
  async restart(index: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const service = this.#services[index] as ChildServer;
    if (!this.#services.some((_, at) => at !== index && this.isInRotation(at)))
      throw new Error('no other replica is in rotation');
    this.#withdrawn.add(index);
    await sleep(DRAIN_MS);
    const code = await service.stop(signal);
    this.#problems.push(...logProblems(service));
    if (signal === 'SIGTERM' && code !== 0) this.#problems.push(`a replica ended with ${code}`);
    this.#services[index] = await this.#start(index);
    this.#withdrawn.delete(index);
  }

  /**
   * Returns the warnings and errors in the logs of all replicas, and the restarts that failed.
   *
   * @param isExpected returns whether problems are expected at a time, in milliseconds since 1970.
   */
  problems(isExpected?: (time: number) => boolean): readonly string[] {
    return [
      ...this.#problems,
      ...this.#services.flatMap((service) => logProblems(service, isExpected)),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.#services) await service.stop();
  }
}
