import { ApiError } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { Metrics } from '../../platform/metrics/index.ts';
import type { EventKind } from '../../storage/ports/index.ts';
import { FAILURES, type Failure, minuteOf, REFUSALS, type Refusal, SpaceCounts } from './counts.ts';

/** What became of the events of a request that was answered. */
export interface Answered {
  /** Unix milliseconds. */
  readonly receivedAt: number;
  readonly spaces: readonly {
    readonly spaceId: string;
    readonly events: readonly EventKind[];
    /** Of their texts. */
    readonly bytes: number;
  }[];
  /** Of them, how many were not known. */
  readonly stored: number;
  /** With the space, where a credential names it. */
  readonly failures: readonly { readonly spaceId: string | null; readonly reason: Failure }[];
}

/**
 * Counts what becomes of events, for `/metrics` and by space for the last hour. In memory, since the process
 * began: a count that ingest had to write would cost more than it is worth. See `shareCounts` for other replicas.
 */
export interface Tally {
  answered(answer: Answered): void;
  /**
   * A request that was refused as a whole, by its error.
   *
   * @param spaceId where a key names it.
   */
  refused(error: unknown, spaceId: string | null): void;
  /** What was counted of a space; undefined when nothing was. */
  of(spaceId: string): SpaceCounts | undefined;
  /** Spaces of which something was counted since this was called last. */
  takeUnshared(): [spaceId: string, SpaceCounts][];
}

/** Spaces whose counts are kept: a few dozen KiB each at most. */
const MOST_SPACES = 1000;

export function createTally(metrics: Metrics, clock: Clock): Tally {
  const count = counters(metrics);
  const spaces = new Map<string, SpaceCounts>();

  function countsOf(spaceId: string): SpaceCounts {
    const known = spaces.get(spaceId);
    if (known !== undefined) return known;
    const [oldest] = spaces.keys();
    if (spaces.size >= MOST_SPACES && oldest !== undefined) spaces.delete(oldest);
    const counts = new SpaceCounts();
    spaces.set(spaceId, counts);
    return counts;
  }

  return {
    answered: ({ receivedAt, spaces: given, stored, failures }) => {
      const minute = minuteOf(receivedAt);
      let accepted = 0;
      for (const { spaceId, events, bytes } of given) {
        accepted += events.length;
        count.bytes(bytes);
        countsOf(spaceId).accept(minute, events, bytes);
      }
      count.events(stored, accepted - stored, failures.length);
      for (const { spaceId, reason } of failures) {
        count.failure(reason);
        if (spaceId !== null) countsOf(spaceId).fail(minute, reason, 1);
      }
    },
    refused: (error, spaceId) => {
      const reason = reasonOf(error);
      if (reason === null) return;
      count.refusal(reason);
      if (spaceId !== null) countsOf(spaceId).refuse(minuteOf(clock()), reason);
    },
    of: (spaceId) => spaces.get(spaceId),
    takeUnshared: () => {
      const unshared = [...spaces].filter(([, counts]) => counts.unshared);
      for (const [, counts] of unshared) counts.unshared = false;
      return unshared;
    },
  };
}

const REASONS: Readonly<Record<number, Refusal>> = {
  400: 'malformed',
  401: 'unproven',
  403: 'forbidden',
  429: 'rate-limited',
};

function reasonOf(error: unknown): Refusal | null {
  if (error instanceof StorageUnavailable)
    return error.reason === 'overloaded' ? 'overloaded' : 'unavailable';
  return error instanceof ApiError ? (REASONS[error.status] ?? null) : null;
}

/** Labels are resolved once: that costs several times more than counting. */
function counters(metrics: Metrics) {
  const events = metrics.counter({
    name: 'gatehouse_events_total',
    help: 'Events received, by what became of them.',
    labels: ['outcome'],
  });
  const failed = metrics.counter({
    name: 'gatehouse_events_failed_total',
    help: 'Events that failed in a request that was answered, by the reason.',
    labels: ['reason'],
  });
  const refused = metrics.counter({
    name: 'gatehouse_event_requests_refused_total',
    help: 'Requests with events that were refused as a whole when their body was read, or before, by the reason.',
    labels: ['reason'],
  });
  const bytes = metrics.counter({
    name: 'gatehouse_event_bytes_total',
    help: 'Bytes of the texts of events that were accepted.',
  });
  const stored = events.labels('stored');
  const duplicate = events.labels('duplicate');
  const failedEvents = events.labels('failed');
  const failures = new Map(FAILURES.map((reason) => [reason, failed.labels(reason)]));
  const refusals = new Map(REFUSALS.map((reason) => [reason, refused.labels(reason)]));
  return {
    events: (kept: number, known: number, wrong: number) => {
      stored.inc(kept);
      duplicate.inc(known);
      failedEvents.inc(wrong);
    },
    bytes: (amount: number) => bytes.inc(amount),
    failure: (reason: Failure) => failures.get(reason)?.inc(),
    refusal: (reason: Refusal) => refusals.get(reason)?.inc(),
  };
}
