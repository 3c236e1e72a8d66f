import { randomUUID } from 'node:crypto';
import type { EventBatch } from '../../ports/event-store.ts';
import type { NotificationChannels } from '../notifications.ts';
import type { Pool } from '../pool.ts';

export const EVENTS_CHANNEL = 'gatehouse_events';

type Listener = (spaceId: string, feedsKnowledge: boolean) => void;
export type Heads = ReadonlyMap<string, number>;

/** Milliseconds during which appends are collected for one message. */
const GATHER_MS = 50;
/**
 * Maximum spaces per message. The server limits the message size. Appends to further spaces are detected when the heads are read.
 */
const MAX_SPACES = 100;
const TICK_MS = 1_000;
/** Ticks between reads of the heads while notifications arrive. Otherwise the heads are read at every tick. */
const READ_HEADS_EVERY = 5;
/** The replica reconnects after this many ticks without one of its own messages. */
const RECONNECT_EVERY = 10;

interface Message {
  readonly from: string;
  readonly spaces: readonly (readonly [spaceId: string, feedsKnowledge: boolean])[];
}

export interface AppendNotifierOptions {
  readonly pool: Pool;
  /** Channels that include `EVENTS_CHANNEL`. */
  readonly channels: NotificationChannels;
  readonly readHeads: () => Promise<Heads>;
  /** Heads of the spaces, read before any listener is registered. */
  readonly heads: Heads;
}

/**
 * Notifies listeners of appends. Listeners learn of appends by this replica immediately, and of appends by other replicas when a
 * message arrives.
 *
 * Messages are hints. They are sent after the commit, because the server serialises commits of transactions that notify. The
 * heads of the spaces are the source of truth and are read every five seconds. They are read every second while the replica does
 * not receive its own messages, for example behind a pooler.
 */
export class AppendNotifier {
  readonly #options: AppendNotifierOptions;
  readonly #id = randomUUID();
  readonly #listeners = new Set<Listener>();
  readonly #ticking: NodeJS.Timeout;
  readonly #gathered = new Map<string, boolean>();
  #pause: NodeJS.Timeout | null = null;
  readonly #inFlight = new Set<Promise<void>>();
  #heads: Heads;
  #ticks = 0;
  /** Ticks since the replica last received its own message. */
  #missedTicks = READ_HEADS_EVERY;
  #isReadingHeads = false;

  constructor(options: AppendNotifierOptions) {
    this.#options = options;
    this.#heads = options.heads;
    options.channels.on(EVENTS_CHANNEL, (text) => this.#receive(text));
    this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(batches: readonly EventBatch[]): void {
    for (const { spaceId, feedsKnowledge = false } of batches) {
      this.#notifyListeners(spaceId, feedsKnowledge);
      if (this.#gathered.size >= MAX_SPACES && !this.#gathered.has(spaceId)) continue;
      this.#gathered.set(spaceId, feedsKnowledge || this.#gathered.get(spaceId) === true);
    }
    if (this.#pause === null) this.#send();
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    clearTimeout(this.#pause ?? undefined);
    if (this.#gathered.size > 0) this.#send();
    clearTimeout(this.#pause ?? undefined);
    await Promise.all(this.#inFlight);
  }

  #notifyListeners(spaceId: string, feedsKnowledge: boolean): void {
    for (const listener of this.#listeners) listener(spaceId, feedsKnowledge);
  }

  #send(): void {
    const message: Message = { from: this.#id, spaces: [...this.#gathered] };
    this.#gathered.clear();
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#gathered.size > 0) this.#send();
    }, GATHER_MS).unref();
    const { pool } = this.#options;
    this.#start(pool.run(`select pg_notify('${EVENTS_CHANNEL}', $1)`, [JSON.stringify(message)]));
  }

  #receive(text: string): void {
    const message = read(text);
    if (message?.from === this.#id) this.#missedTicks = 0;
    else
      for (const [spaceId, feedsKnowledge] of message?.spaces ?? [])
        this.#notifyListeners(spaceId, feedsKnowledge);
  }

  #tick(): void {
    this.#ticks += 1;
    this.#missedTicks += 1;
    if (this.#missedTicks % RECONNECT_EVERY === 0) this.#options.channels.reconnect();
    if (this.#ticks % READ_HEADS_EVERY !== 0 && this.#missedTicks <= READ_HEADS_EVERY) return;
    if (this.#isReadingHeads) return;
    this.#isReadingHeads = true;
    this.#start(this.#readHeads());
    // This message tests the channel. It should arrive before the next read of the heads.
    if (this.#pause === null) this.#send();
  }

  async #readHeads(): Promise<void> {
    try {
      const heads = await this.#options.readHeads();
      for (const [spaceId, position] of heads)
        if (position > (this.#heads.get(spaceId) ?? 0)) this.#notifyListeners(spaceId, true);
      this.#heads = heads;
    } finally {
      this.#isReadingHeads = false;
    }
  }

  /** Starts work and ignores its failure, because the heads are soon read again. */
  #start(work: Promise<unknown>): void {
    const done: Promise<void> = work
      .then(
        () => {},
        () => {},
      )
      .finally(() => this.#inFlight.delete(done));
    this.#inFlight.add(done);
  }
}

function read(text: string): Message | null {
  try {
    const { from, spaces } = JSON.parse(text) as Partial<Message>;
    const isMessage = typeof from === 'string' && spaces?.every(Array.isArray) === true;
    return isMessage ? { from, spaces } : null;
  } catch {
    return null;
  }
}
