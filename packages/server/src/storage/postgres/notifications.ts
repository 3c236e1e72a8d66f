import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Hints } from '../ports/store.ts';
import type { Pool } from './pool.ts';

const CONNECT_WITHIN_MS = 5_000;
const RECONNECT_MS = 1_000;

/**
 * A dedicated connection that listens for notifications and reconnects after a failure. Notifications that are sent while the
 * connection is broken are lost. Behind a pooler in transaction mode, the connection receives no notifications.
 */
export class NotificationChannels {
  readonly #url: string;
  readonly #listeners: ReadonlyMap<string, ((text: string) => void)[]>;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;
  #socket: Socket | null = null;

  /** @param channels names of the channels to listen on. They consist of letters and underscores. */
  constructor(url: string, channels: readonly string[]) {
    this.#url = url;
    this.#listeners = new Map(channels.map((channel) => [channel, []]));
    this.#done = this.#run();
  }

  on(channel: string, listener: (text: string) => void): void {
    this.#listeners.get(channel)?.push(listener);
  }

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

  /** Resolves when the connection ends. Ignores failures. If the server is unreachable, other operations of the store report it. */
  async #listen(): Promise<void> {
    const socket = new Socket();
    const client = new pg.Client({
      stream: () => socket,
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: CONNECT_WITHIN_MS,
      keepAlive: true,
      application_name: 'gatehouse notifications',
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
      // The caller reconnects.
    } finally {
      this.#socket = null;
      socket.destroy();
    }
  }
}

export const HINTS_CHANNEL = 'gatehouse_hints';
/** Hints that are published within this many milliseconds share a message. */
const GATHER_MS = 20;
/** Maximum hints per message. The server limits the size of a message. */
const MAX_HINTS = 50;

type Hint = readonly [topic: string, text: string];

interface Message {
  readonly from: string;
  readonly hints: readonly Hint[];
}

export interface PostgresHints extends Hints, AsyncDisposable {}

/**
 * Publishes hints with NOTIFY in separate transactions, because the server serialises the commits of transactions that notify.
 * Hints that do not fit into a message are dropped.
 *
 * @param channels must include `HINTS_CHANNEL`.
 */
export function createHints(pool: Pool, channels: NotificationChannels): PostgresHints {
  const id = randomUUID();
  const listeners = new Map<string, ((text: string) => void)[]>();
  let gathered = new Map<string, Hint>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function send(): void {
    timer = undefined;
    const message: Message = { from: id, hints: [...gathered.values()] };
    gathered = new Map();
    sending = pool.run(`select pg_notify('${HINTS_CHANNEL}', $1)`, [JSON.stringify(message)]).then(
      () => {},
      () => {},
    );
  }

  channels.on(HINTS_CHANNEL, (text) => {
    for (const [topic, hint] of read(text, id))
      for (const listener of listeners.get(topic) ?? []) listener(hint);
  });

  return {
    publish: (topic, text) => {
      if (gathered.size < MAX_HINTS) gathered.set(JSON.stringify([topic, text]), [topic, text]);
      timer ??= setTimeout(send, GATHER_MS).unref();
    },
    subscribe: (topic, listener) => {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer);
      if (gathered.size > 0) send();
      await sending;
    },
  };
}

/**
 * Returns the hints in a message from another process. Returns an empty array for this process's own messages and for malformed
 * messages.
 */
function read(text: string, own: string): readonly Hint[] {
  try {
    const { from, hints } = JSON.parse(text) as Partial<Message>;
    if (from === own || !Array.isArray(hints)) return [];
    return hints.map(([topic, hint]) => [String(topic), String(hint)] as const);
  } catch {
    return [];
  }
}
