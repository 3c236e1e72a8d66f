import { randomUUID } from 'node:crypto';
import type { EventBatch } from '../../ports/event-store.ts';
import type { NotificationChannels } from '../notifications.ts';
import type { Pool } from '../pool.ts';

/** The channel of append notifications. */
export const EVENTS_CHANNEL = 'gatehouse_events';

type Listener = (spaceId: string, feedsKnowledge: boolean) => void;
export type Heads = ReadonlyMap<string, number>;

/** Appends within this time share a message. */
const GATHER_MS = 50;
/** Spaces per message, whose size the server limits. Other spaces are found when the heads are read. */
const MAX_SPACES = 100;
const TICK_MS = 1_000;
/** Ticks between reads of the heads. While notifications do not arrive, they are read at every tick. */
const READ_HEADS_EVERY = 5;
/** Ticks without its own messages after which a replica reconnects. */
const RECONNECT_EVERY = 10;

/** The spaces that a replica appended to, and whether the events change documents. */
interface Message {
  readonly from: string;
  readonly spaces: readonly (readonly [spaceId: string, feedsKnowledge: boolean])[];
}

export interface AppendNotifierOptions {
  readonly pool: Pool;
  /** Must include `EVENTS_CHANNEL`. */
  readonly channels: NotificationChannels;
  /** Reads the newest position of each space. */
  readonly readHeads: () => Promise<Heads>;
  /** The heads from before the first listener. */
  readonly heads: Heads;
}

/**
 * Notifies listeners of appends: of this replica's at once, of others' when their message arrives. A message is a hint,
 * sent after the commit, because the server serialises commits that notify. The heads of the spaces are the source
 * of truth and are read every few seconds, or every second while a replica does not receive its own messages, as
 * behind a pooler.
 */
export class AppendNotifier {
  readonly #options: AppendNotifierOptions;
  readonly #id = randomUUID();
  readonly #listeners = new Set<Listener>();
  readonly #ticking: NodeJS.Timeout;
  /** Spaces for the next message, which is sent after a pause. */
  readonly #gathered = new Map<string, boolean>();
  #pause: NodeJS.Timeout | null = null;
  readonly #underWay = new Set<Promise<void>>();
  #heads: Heads;
  #ticks = 0;
  /** Ticks since the replica received a message of its own. */
  #missedTicks = READ_HEADS_EVERY;
  #isReadingHeads = false;

  constructor(options: AppendNotifierOptions) {
    this.#options = options;
    this.#heads = options.heads;
    options.channels.on(EVENTS_CHANNEL, (text) => this.#receive(text));
    this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** See `EventStore.onAppended`. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies all replicas of an append by this one. */
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
    await Promise.all(this.#underWay);
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
    // A message should come back before the next read of the heads.
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

  /** Ignores failures: the next read of the heads follows soon. */
  #start(work: Promise<unknown>): void {
    const done: Promise<void> = work
      .then(
        () => {},
        () => {},
      )
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }
}

/** Returns null if the message is not of a replica. */
function read(text: string): Message | null {
  try {
    const { from, spaces } = JSON.parse(text) as Partial<Message>;
    const isMessage = typeof from === 'string' && spaces?.every(Array.isArray) === true;
    return isMessage ? { from, spaces } : null;
  } catch {
    return null;
  }
}
