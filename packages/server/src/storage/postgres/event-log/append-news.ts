import { randomUUID } from 'node:crypto';
import type { EventBatch } from '../../ports/event-store.ts';
import type { NewsChannels } from '../news-channel.ts';
import type { Pool } from '../pool.ts';

/** The channel of these messages. */
export const EVENTS_CHANNEL = 'gatehouse_events';

type Listener = (spaceId: string, feedsKnowledge: boolean) => void;
export type Heads = ReadonlyMap<string, number>;

/** News of appends that come one after the other go together. */
const GATHER_MS = 50;
/** Spaces in one message, whose bytes are bounded. What does not fit is seen when the heads are looked at. */
const MOST_NAMED = 100;
const TICK_MS = 1_000;
/** The heads are looked at every so many ticks, and at each while messages do not come through. */
const LOOK_EVERY = 5;
/** After so many ticks without its own messages the connection is made anew. */
const RECONNECT_EVERY = 10;

/** What a replica appended to: spaces, and whether documents change by it. */
interface Message {
  readonly from: string;
  readonly spaces: readonly (readonly [spaceId: string, feedsKnowledge: boolean])[];
}

export interface AppendNewsOptions {
  readonly pool: Pool;
  /** Among them `EVENTS_CHANNEL`. */
  readonly channels: NewsChannels;
  /** Reads the newest position of each space. */
  readonly readHeads: () => Promise<Heads>;
  /** Those of a moment before anybody listened. */
  readonly heads: Heads;
}

/**
 * Tells of appends: of this replica's at once, of others' when their message comes. A message is a hint, sent
 * after the commit: those that are part of one have the server commit one after the other. What is sure is the
 * heads of the spaces, which are looked at every few seconds. A replica that does not hear its own messages, as
 * through a pooler, looks every second.
 */
export class AppendNews {
  readonly #options: AppendNewsOptions;
  readonly #id = randomUUID();
  readonly #listeners = new Set<Listener>();
  readonly #ticking: NodeJS.Timeout;
  /** To be told to other replicas, once the pause after the message before is over. */
  readonly #gathered = new Map<string, boolean>();
  #pause: NodeJS.Timeout | null = null;
  readonly #underWay = new Set<Promise<void>>();
  #heads: Heads;
  #ticks = 0;
  /** Ticks since a message of this replica came back to it; none ever has at the beginning. */
  #unheard = LOOK_EVERY;
  #isLooking = false;

  constructor(options: AppendNewsOptions) {
    this.#options = options;
    this.#heads = options.heads;
    options.channels.on(EVENTS_CHANNEL, (text) => this.#hear(text));
    this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** See `EventStore.onAppended`. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells everybody, here and elsewhere, of what this replica appended. */
  tell(batches: readonly EventBatch[]): void {
    for (const { spaceId, feedsKnowledge = false } of batches) {
      this.#tellHere(spaceId, feedsKnowledge);
      if (this.#gathered.size >= MOST_NAMED && !this.#gathered.has(spaceId)) continue;
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

  #tellHere(spaceId: string, feedsKnowledge: boolean): void {
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

  #hear(text: string): void {
    const message = read(text);
    if (message?.from === this.#id) this.#unheard = 0;
    else
      for (const [spaceId, feedsKnowledge] of message?.spaces ?? [])
        this.#tellHere(spaceId, feedsKnowledge);
  }

  #tick(): void {
    this.#ticks += 1;
    this.#unheard += 1;
    if (this.#unheard % RECONNECT_EVERY === 0) this.#options.channels.reconnect();
    if (this.#ticks % LOOK_EVERY !== 0 && this.#unheard <= LOOK_EVERY) return;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#start(this.#look());
    // So that a message comes back before the next look, if any does.
    if (this.#pause === null) this.#send();
  }

  async #look(): Promise<void> {
    try {
      const heads = await this.#options.readHeads();
      for (const [spaceId, position] of heads)
        if (position > (this.#heads.get(spaceId) ?? 0)) this.#tellHere(spaceId, true);
      this.#heads = heads;
    } finally {
      this.#isLooking = false;
    }
  }

  /** What fails is tried again: the next look is never far. */
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

/** Null for what no replica wrote. */
function read(text: string): Message | null {
  try {
    const { from, spaces } = JSON.parse(text) as Partial<Message>;
    const isMessage = typeof from === 'string' && spaces?.every(Array.isArray) === true;
    return isMessage ? { from, spaces } : null;
  } catch {
    return null;
  }
}
