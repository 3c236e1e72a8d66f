import { randomUUIDv7 } from 'node:crypto';
import type { EventKind } from '../../storage/ports/index.ts';

/** Reason why an event failed in an accepted request. */
export type Failure = 'invalid' | 'unproven' | 'forbidden';
export const FAILURES: readonly Failure[] = ['invalid', 'unproven', 'forbidden'];

/** Reason why a whole request was rejected. */
export type Refusal =
  | 'malformed'
  | 'unproven'
  | 'forbidden'
  | 'rate-limited'
  | 'overloaded'
  | 'unavailable';
export const REFUSALS: readonly Refusal[] = [
  'malformed',
  'unproven',
  'forbidden',
  'rate-limited',
  'overloaded',
  'unavailable',
];

export interface CountsInMinute {
  readonly accepted: number;
  readonly bytes: number;
  readonly types: readonly (readonly [name: string | null, count: number])[];
  readonly sources: readonly (readonly [name: string | null, count: number])[];
  readonly failures: readonly (readonly [reason: Failure, count: number])[];
  readonly refusals: readonly (readonly [reason: Refusal, count: number])[];
}

export class SpaceCounts {
  readonly id = randomUUIDv7();
  /** True if the counts changed since they were last published. */
  isUnpublished = false;
  readonly accepted = new MinuteCounts();
  readonly bytes = new MinuteCounts();
  readonly types = new NamedCounts();
  readonly sources = new NamedCounts();
  readonly failures = new Map<Failure, MinuteCounts>();
  readonly refusals = new Map<Refusal, MinuteCounts>();

  accept(minute: number, events: readonly EventKind[], bytes: number): void {
    this.isUnpublished = true;
    this.accepted.add(minute, events.length);
    this.bytes.add(minute, bytes);
    addRuns(this.types, minute, events, 'type');
    addRuns(this.sources, minute, events, 'source');
  }

  of(minute: number): CountsInMinute {
    return {
      accepted: this.accepted.of(minute),
      bytes: this.bytes.of(minute),
      types: this.types.of(minute),
      sources: this.sources.of(minute),
      failures: ofReasons(this.failures, minute),
      refusals: ofReasons(this.refusals, minute),
    };
  }

  add(minute: number, counts: CountsInMinute): void {
    this.accepted.add(minute, counts.accepted);
    this.bytes.add(minute, counts.bytes);
    for (const [name, count] of counts.types) this.types.add(name, minute, count);
    for (const [name, count] of counts.sources) this.sources.add(name, minute, count);
    for (const [reason, count] of counts.failures) this.fail(minute, reason, count);
    for (const [reason, count] of counts.refusals) addTo(this.refusals, reason, minute, count);
  }

  fail(minute: number, reason: Failure, amount: number): void {
    this.isUnpublished = true;
    addTo(this.failures, reason, minute, amount);
  }

  refuse(minute: number, reason: Refusal): void {
    this.isUnpublished = true;
    addTo(this.refusals, reason, minute, 1);
  }
}

/** Looks up a run of equal names once, because events of a batch are often similar. */
function addRuns(
  counts: NamedCounts,
  minute: number,
  events: readonly EventKind[],
  member: 'type' | 'source',
): void {
  let name = '';
  let length = 0;
  for (const event of events) {
    if (event[member] === name) {
      length += 1;
      continue;
    }
    if (length > 0) counts.add(name, minute, length);
    name = event[member];
    length = 1;
  }
  if (length > 0) counts.add(name, minute, length);
}

function ofReasons<Reason>(counts: ReadonlyMap<Reason, MinuteCounts>, minute: number) {
  return [...counts]
    .map(([reason, own]): [Reason, number] => [reason, own.of(minute)])
    .filter(([, count]) => count > 0);
}

function addTo<Reason>(
  counts: Map<Reason, MinuteCounts>,
  reason: Reason,
  minute: number,
  amount: number,
): void {
  let known = counts.get(reason);
  if (known === undefined) {
    known = new MinuteCounts();
    counts.set(reason, known);
  }
  known.add(minute, amount);
}

/** Maximum number of names that are counted separately. Other names are counted together. */
const MAX_NAMES = 50;
/** Maximum length in UTF-16 code units. Longer names are counted with the others, because senders choose the names. */
const MAX_NAME_LENGTH = 200;

/** Counts by names chosen by senders, in bounded memory. */
export class NamedCounts {
  readonly #named = new Map<string, MinuteCounts>();
  readonly #others = new MinuteCounts();
  #sweptAt = 0;

  /** @param name `null` adds to the count of all other names. */
  add(name: string | null, minute: number, amount: number): void {
    const counts = name === null ? this.#others : this.#countsOf(name, minute);
    counts.add(minute, amount);
  }

  /** Returns the counts of a minute by name. `null` stands for all other names. */
  of(minute: number): [name: string | null, count: number][] {
    const named = [...this.#named].map(([name, counts]) => [name, counts.of(minute)] as const);
    return [...named, [null, this.#others.of(minute)] as const]
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [name, count]);
  }

  /** Returns the counts per minute by name, most frequent first, without zero totals. `null` stands for all other names. */
  read(minute: number): { name: string | null; counts: number[] }[] {
    const named = [...this.#named].map(([name, counts]) => ({ name, counts: counts.read(minute) }));
    const others = { name: null, counts: this.#others.read(minute) };
    return [...named.toSorted((a, b) => sum(b.counts) - sum(a.counts)), others].filter(
      ({ counts }) => sum(counts) > 0,
    );
  }

  #countsOf(name: string, minute: number): MinuteCounts {
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    if (this.#named.size >= MAX_NAMES) this.#evict(minute);
    if (this.#named.size >= MAX_NAMES || name.length > MAX_NAME_LENGTH) return this.#others;
    const counts = new MinuteCounts();
    this.#named.set(name, counts);
    return counts;
  }

  /** Removes names that were not counted within the window, at most once per minute. */
  #evict(minute: number): void {
    if (this.#sweptAt === minute) return;
    this.#sweptAt = minute;
    for (const [name, counts] of this.#named)
      if (counts.isExpired(minute)) this.#named.delete(name);
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Number of minutes in the window, including the current minute. */
export const WINDOW = 60;

/** Returns the number of complete minutes since 1970. */
export function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / 60_000);
}

export class MinuteCounts {
  /** Ring buffer: the count of a minute is at index `minute % WINDOW`. */
  readonly #counts = new Float64Array(WINDOW);
  #newest = 0;

  isExpired(minute: number): boolean {
    return this.#newest <= minute - WINDOW;
  }

  /** Adds to the count of a minute. A minute before the window means that the clock was set back, so all counts start over. */
  add(minute: number, amount: number): void {
    if (minute > this.#newest || minute <= this.#newest - WINDOW) this.#moveTo(minute);
    const place = minute % WINDOW;
    this.#counts[place] = (this.#counts[place] ?? 0) + amount;
  }

  /** Returns the count of a minute, or 0 if the minute has expired. */
  of(minute: number): number {
    const isKept = minute <= this.#newest && minute > this.#newest - WINDOW;
    return isKept ? (this.#counts[minute % WINDOW] ?? 0) : 0;
  }

  /** Returns the counts of the window that ends with a minute, oldest first. */
  read(minute: number): number[] {
    return Array.from({ length: WINDOW }, (_, index) => this.of(minute - WINDOW + 1 + index));
  }

  #moveTo(minute: number): void {
    const start = minute - WINDOW + 1;
    const first = minute > this.#newest ? Math.max(this.#newest + 1, start) : start;
    for (let passed = first; passed <= minute; passed += 1) this.#counts[passed % WINDOW] = 0;
    this.#newest = minute;
  }
}
