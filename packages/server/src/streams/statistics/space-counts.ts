import { randomUUIDv7 } from 'node:crypto';
import type { EventKind } from '../../storage/ports/index.ts';
import { MinuteCounts } from './minute-counts.ts';
import { NamedCounts } from './named-counts.ts';

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
