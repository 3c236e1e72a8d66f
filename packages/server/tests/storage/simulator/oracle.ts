import assert from 'node:assert/strict';
import { dataBytesOf, QUIET_SPACE, SPACES, subjectOf } from './history.ts';

interface SentEvent {
  readonly space: string;
  readonly id: string;
  /** Number of calls that sent the event. */
  calls: number;
  isAcknowledged: boolean;
  /** Position in the log at which the event was seen, or null. */
  position: number | null;
  isHandled: boolean;
  isDelivered: boolean;
}

interface SentBatch {
  readonly space: string;
  readonly ids: readonly string[];
}

/** One call of `append`, until its outcome is known. */
export interface SentCall {
  readonly events: readonly SentEvent[];
  /** Events that were acknowledged before the call. */
  readonly known: ReadonlySet<SentEvent>;
}

interface Erasure {
  readonly space: string;
  readonly subject: string;
  /** Events that were acknowledged before the erasure started. */
  readonly events: ReadonlySet<SentEvent>;
  isAcknowledged: boolean;
}

export interface SeenEvent {
  readonly position: number;
  readonly text: string;
}

/** Type of the events that the consumer processes. */
export const PROCESSED_TYPE = 'processed';

export const SOURCE = 'https://example.com/simulated';

export function textOf(space: string, id: string): string {
  const data = 'x'.repeat(dataBytesOf(id));
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: SOURCE,
    type: space === QUIET_SPACE ? 'ignored' : PROCESSED_TYPE,
    subject: subjectOf(id),
    space,
    data,
  });
}

/** Knows what was sent, acknowledged and seen, and asserts that the event log, the consumer and the deliveries agree with it. */
export class EventOracle {
  readonly #events = new Map<string, SentEvent>();
  readonly #calls: {
    readonly batches: readonly SentBatch[];
    readonly events: readonly SentEvent[];
  }[] = [];
  readonly #erasures: Erasure[] = [];
  readonly #retained = new Set<string>();
  /** Event at each position, by space and position. */
  readonly #positions = new Map<string, string>();
  /** Highest position that was handled in the current process, by space. */
  readonly #handledThrough = new Map<string, number>();

  sending(batches: readonly SentBatch[]): SentCall {
    const events = batches.flatMap(({ space, ids }) => ids.map((id) => this.#event(space, id)));
    for (const event of events) event.calls += 1;
    this.#calls.push({ batches, events });
    return { events, known: new Set(events.filter((event) => event.isAcknowledged)) };
  }

  acknowledged({ events, known }: SentCall, stored: number): void {
    const sent = [...new Set(events)];
    const surelyNew = sent.filter((event) => event.calls === 1).length;
    const surelyKnown = sent.filter((event) => known.has(event)).length;
    assert.ok(
      stored >= surelyNew && stored <= sent.length - surelyKnown,
      `the store reported ${stored} of ${sent.length} events as new; ${surelyNew} are new and ${surelyKnown} are duplicates`,
    );
    for (const event of sent) event.isAcknowledged = true;
  }

  erasing(space: string, subject: string): Erasure {
    const events = [...this.#events.values()].filter(
      (event) => event.space === space && event.isAcknowledged && subjectOf(event.id) === subject,
    );
    const erasure = { space, subject, events: new Set(events), isAcknowledged: false };
    this.#erasures.push(erasure);
    return erasure;
  }

  /** Retention may remove handled events of this space from now on. */
  retains(space: string): void {
    this.#retained.add(space);
  }

  /** A process has started, so its consumer may repeat events. */
  restarted(): void {
    this.#handledThrough.clear();
  }

  handled(space: string, events: readonly SeenEvent[]): void {
    for (const seen of events) {
      const event = this.#saw(space, seen);
      const through = this.#handledThrough.get(space) ?? 0;
      assert.ok(event.isHandled || seen.position > through, `${event.id} was handled too late`);
      this.#handledThrough.set(space, Math.max(through, seen.position));
      event.isHandled = true;
    }
  }

  delivered(space: string, text: string): void {
    const { id } = JSON.parse(text) as { id: string };
    const event = this.#events.get(`${space}/${id}`);
    assert.ok(event !== undefined && text === textOf(space, id), `${id} was never sent like this`);
    event.isDelivered = true;
  }

  /** Asserts that a complete feed of a space agrees with the acknowledgements. */
  assertFeed(space: string, feed: readonly SeenEvent[]): void {
    const present = new Map<SentEvent, number>();
    let last = 0;
    for (const seen of feed) {
      assert.ok(seen.position > last, `position ${seen.position} follows ${last} in the feed`);
      last = seen.position;
      const event = this.#saw(space, seen);
      assert.ok(!present.has(event), `${event.id} is stored twice in ${space}`);
      present.set(event, seen.position);
    }
    const first = feed[0]?.position ?? Number.POSITIVE_INFINITY;
    for (const event of this.#events.values())
      if (event.space === space && !present.has(event)) this.#assertMayBeAbsent(event, first);
    this.#assertErased(present);
    this.#assertWhole(space, present, first);
  }

  #assertMayBeAbsent(event: SentEvent, firstPosition: number): void {
    const { space, id, position } = event;
    // An event that somebody has seen was committed.
    if (!event.isAcknowledged && position === null) return;
    if (this.#mayBeErased(event)) return;
    assert.ok(this.#retained.has(space), `${id}, which was ${stateOf(event)}, is lost in ${space}`);
    if (space === QUIET_SPACE && position === null) return;
    assert.ok(
      space === QUIET_SPACE || event.isHandled,
      `retention removed ${id} in ${space} before the consumer handled it`,
    );
    assert.ok(
      position !== null && position < firstPosition,
      `${id} at ${position} in ${space} was removed, but ${firstPosition} was not`,
    );
  }

  #assertErased(present: ReadonlyMap<SentEvent, number>): void {
    for (const { isAcknowledged, events } of this.#erasures)
      for (const event of isAcknowledged ? events : [])
        assert.ok(!present.has(event), `${event.id} was erased, but is in the feed`);
  }

  /** Asserts that each call stored all of its events or none. */
  #assertWhole(space: string, present: ReadonlyMap<SentEvent, number>, first: number): void {
    for (const { batches } of this.#calls) {
      for (const batch of batches) {
        if (batch.space !== space) continue;
        const events = batch.ids.map((id) => this.#event(space, id));
        const own = events.filter((event) => event.calls === 1 && !this.#mayBeErased(event));
        const positions = own.map((event) => present.get(event));
        const some = positions.filter((position) => position !== undefined);
        const isCut = this.#retained.has(space) && some.every((position) => position < first);
        assert.ok(
          some.length === 0 || some.length === own.length || isCut,
          `a batch with ${batch.ids} is incomplete in ${space}`,
        );
        for (const [index, position] of some.entries())
          assert.ok(index === 0 || position > Number(some[index - 1]), 'a batch changed its order');
      }
    }
  }

  /** Asserts that every acknowledged event was handled and delivered. */
  assertProcessed(): void {
    for (const event of this.#events.values()) {
      if (!event.isAcknowledged || !this.#isProcessed(event)) continue;
      const { id, space } = event;
      assert.ok(event.isHandled, `${id} in ${space} was acknowledged, but the consumer skipped it`);
      assert.ok(event.isDelivered, `${id} in ${space} was acknowledged, but not delivered`);
    }
  }

  get areAllDelivered(): boolean {
    return [...this.#events.values()].every(
      (event) => !event.isAcknowledged || event.isDelivered || !this.#isProcessed(event),
    );
  }

  /** Returns the acknowledged events of each space, to send them again. */
  acknowledgedEvents(): SentBatch[] {
    return SPACES.map((space) => ({
      space,
      ids: [...this.#events.values()]
        .filter((event) => event.space === space && event.isAcknowledged)
        .map(({ id }) => id),
    })).filter(({ ids }) => ids.length > 0);
  }

  /** Returns the highest position that was seen in a space. */
  highestOf(space: string): number {
    const positions = [...this.#events.values()].flatMap((event) =>
      event.space === space && event.position !== null ? [event.position] : [],
    );
    return Math.max(0, ...positions);
  }

  /** Reports whether the consumer and the webhook must receive an event. */
  #isProcessed(event: SentEvent): boolean {
    return event.space !== QUIET_SPACE && !this.#mayBeErased(event);
  }

  #mayBeErased(event: SentEvent): boolean {
    return this.#erasures.some(
      ({ space, subject }) => space === event.space && subject === subjectOf(event.id),
    );
  }

  #saw(space: string, { position, text }: SeenEvent): SentEvent {
    const { id } = JSON.parse(text) as { id: string };
    const event = this.#events.get(`${space}/${id}`);
    assert.ok(event !== undefined && text === textOf(space, id), `${id} was never sent like this`);
    assert.ok(
      event.position === null || event.position === position,
      `${id} in ${space} moved from ${event.position} to ${position}`,
    );
    const key = `${space}/${position}`;
    const earlier = this.#positions.get(key);
    assert.ok(
      earlier === undefined || earlier === id,
      `position ${position} in ${space} was ${earlier} and is now ${id}`,
    );
    this.#positions.set(key, id);
    event.position = position;
    return event;
  }

  #event(space: string, id: string): SentEvent {
    const key = `${space}/${id}`;
    let event = this.#events.get(key);
    if (event === undefined) {
      event = {
        space,
        id,
        calls: 0,
        isAcknowledged: false,
        position: null,
        isHandled: false,
        isDelivered: false,
      };
      this.#events.set(key, event);
    }
    return event;
  }
}

function stateOf(event: SentEvent): string {
  return event.isAcknowledged ? 'acknowledged' : `seen at ${event.position}`;
}
