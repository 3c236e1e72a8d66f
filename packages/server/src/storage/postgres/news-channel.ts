import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const CONNECT_WITHIN_MS = 5_000;
const RECONNECT_MS = 1_000;

/**
 * A connection of its own that listens for messages, and is made anew when it breaks. What was sent meanwhile
 * is not heard, and nothing at all is through a pooler in transaction mode.
 */
export class NewsChannels {
  readonly #url: string;
  readonly #listeners: ReadonlyMap<string, ((text: string) => void)[]>;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;
  #socket: Socket | null = null;

  /** @param channels of the database, to which all replicas listen; plain words. */
  constructor(url: string, channels: readonly string[]) {
    this.#url = url;
    this.#listeners = new Map(channels.map((channel) => [channel, []]));
    this.#done = this.#run();
  }

  /** @param channel one of those that are listened to. */
  on(channel: string, listener: (text: string) => void): void {
    this.#listeners.get(channel)?.push(listener);
  }

  /** Gives up the connection for a new one. */
  reconnect(): void {
    this.#socket?.destroy();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.reconnect();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#listen();
      await sleep(RECONNECT_MS, null, { signal, ref: false }).catch(() => {});
    }
  }

  /** Until the connection ends. That there is none is told of by whoever needs the server. */
  async #listen(): Promise<void> {
    const socket = new Socket();
    const client = new pg.Client({
      stream: () => socket,
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: CONNECT_WITHIN_MS,
      keepAlive: true,
      application_name: 'gatehouse news',
    });
    this.#socket = socket;
    const ended = Promise.withResolvers<void>();
    client.on('error', () => ended.resolve());
    client.on('end', () => ended.resolve());
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
    });
    try {
      await client.connect();
      for (const channel of this.#listeners.keys()) await client.query(`listen ${channel}`);
      if (!this.#closing.signal.aborted) await ended.promise;
    } catch {
      // The next one may do better.
    } finally {
      this.#socket = null;
      socket.destroy();
    }
  }
}
