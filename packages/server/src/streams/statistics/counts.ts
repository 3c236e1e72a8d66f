import { randomUUIDv7 } from 'node:crypto';
import type { EventKind } from '../../storage/ports/index.ts';

/** Why an event failed in a request that was answered. */
export type Failure = 'invalid' | 'unproven' | 'forbidden';
export const FAILURES: readonly Failure[] = ['invalid', 'unproven', 'forbidden'];

/** Why a request was refused as a whole. */
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

/** What was counted of one space in one minute, as JSON takes it. */
export interface CountsInMinute {
  readonly accepted: number;
  readonly bytes: number;
  readonly types: readonly (readonly [name: string | null, count: number])[];
  readonly sources: readonly (readonly [name: string | null, count: number])[];
  readonly failures: readonly (readonly [reason: Failure, count: number])[];
  readonly refusals: readonly (readonly [reason: Refusal, count: number])[];
}

/** What was counted of one space in the last minutes. */
export class SpaceCounts {
  /** Nobody else's counts have it. */
  readonly id = randomUUIDv7();
  /** Since it was told last. */
  unshared = false;
  readonly accepted = new MinuteCounts();
  readonly bytes = new MinuteCounts();
  readonly types = new NamedCounts();
  readonly sources = new NamedCounts();
  readonly failures = new Map<Failure, MinuteCounts>();
  readonly refusals = new Map<Refusal, MinuteCounts>();

  /** @param bytes of their texts. */
  accept(minute: number, events: readonly EventKind[], bytes: number): void {
    this.unshared = true;
    this.accepted.add(minute, events.length);
    this.bytes.add(minute, bytes);
    addRuns(this.types, minute, events, 'type');
    addRuns(this.sources, minute, events, 'source');
  }

  /** What was counted in a minute. */
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

  /** Adds what somebody else counted. */
  add(minute: number, counts: CountsInMinute): void {
    this.accepted.add(minute, counts.accepted);
    this.bytes.add(minute, counts.bytes);
    for (const [name, count] of counts.types) this.types.add(name, minute, count);
    for (const [name, count] of counts.sources) this.sources.add(name, minute, count);
    for (const [reason, count] of counts.failures) this.fail(minute, reason, count);
    for (const [reason, count] of counts.refusals) addTo(this.refusals, reason, minute, count);
  }

  fail(minute: number, reason: Failure, amount: number): void {
    this.unshared = true;
    addTo(this.failures, reason, minute, amount);
  }

  refuse(minute: number, reason: Refusal): void {
    this.unshared = true;
    addTo(this.refusals, reason, minute, 1);
  }
}

/** Events of a batch resemble each other, so that a run of equal names is looked up once. */
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

/** Names that are counted apart; the rest is counted together. */
const MOST_NAMES = 50;
/** UTF-16 units; longer names are counted with the rest, since a sender may choose them without end. */
const LONGEST_NAME = 200;

/** Counts by names that senders choose, in bounded memory. */
export class NamedCounts {
  readonly #named = new Map<string, MinuteCounts>();
  readonly #others = new MinuteCounts();
  #sweptAt = 0;

  /** @param name null: of the others. */
  add(name: string | null, minute: number, amount: number): void {
    const counts = name === null ? this.#others : this.#countsOf(name, minute);
    counts.add(minute, amount);
  }

  /** What was counted in a minute, by name; null stands for all others. */
  of(minute: number): [name: string | null, count: number][] {
    const named = [...this.#named].map(([name, counts]) => [name, counts.of(minute)] as const);
    return [...named, [null, this.#others.of(minute)] as const]
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [name, count]);
  }

  /** By name, the most frequent first, without those that were not counted; null stands for all others. */
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
    if (this.#named.size >= MOST_NAMES) this.#forget(minute);
    if (this.#named.size >= MOST_NAMES || name.length > LONGEST_NAME) return this.#others;
    const counts = new MinuteCounts();
    this.#named.set(name, counts);
    return counts;
  }

  /** Makes room for names by those that were not seen in all of the window; once a minute at most. */
  #forget(minute: number): void {
    if (this.#sweptAt === minute) return;
    this.#sweptAt = minute;
    for (const [name, counts] of this.#named) if (counts.isOver(minute)) this.#named.delete(name);
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Minutes that are looked back on, the one under way included. */
export const WINDOW = 60;

/** Whole minutes since 1970. */
export function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / 60_000);
}

/** What was counted in each of the last minutes. */
export class MinuteCounts {
  /** The n-th holds the minutes that leave the rest n. */
  readonly #counts = new Float64Array(WINDOW);
  #newest = 0;

  /** What was counted at last may be forgotten from the next minute on. */
  isOver(minute: number): boolean {
    return this.#newest <= minute - WINDOW;
  }

  /** A minute that is too old, since a clock was set back, is not counted. */
  add(minute: number, amount: number): void {
    if (minute > this.#newest) this.#moveTo(minute);
    if (minute <= this.#newest - WINDOW) return;
    const place = minute % WINDOW;
    this.#counts[place] = (this.#counts[place] ?? 0) + amount;
  }

  /** What was counted in a minute; 0 where that is forgotten. */
  of(minute: number): number {
    const isKept = minute <= this.#newest && minute > this.#newest - WINDOW;
    return isKept ? (this.#counts[minute % WINDOW] ?? 0) : 0;
  }

  /** One number for each minute of the window that ends with this one, oldest first. */
  read(minute: number): number[] {
    return Array.from({ length: WINDOW }, (_, index) => this.of(minute - WINDOW + 1 + index));
  }

  #moveTo(minute: number): void {
    const first = Math.max(this.#newest + 1, minute - WINDOW + 1);
    for (let passed = first; passed <= minute; passed += 1) this.#counts[passed % WINDOW] = 0;
    this.#newest = minute;
  }
}
