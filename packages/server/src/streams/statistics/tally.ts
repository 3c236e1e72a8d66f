import { ApiError } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { Metrics } from '../../platform/metrics/index.ts';
import type { UsageCounter } from '../../platform/usage/index.ts';
import type { EventKind } from '../../storage/ports/index.ts';
import { FAILURES, type Failure, minuteOf, REFUSALS, type Refusal, SpaceCounts } from './counts.ts';

export interface Answered {
  /** Unix milliseconds. */
  readonly receivedAt: number;
  readonly spaces: readonly {
    readonly spaceId: string;
    readonly events: readonly EventKind[];
    readonly bytes: number;
  }[];
  /** Number of events that were not duplicates. */
  readonly stored: number;
  /** Failed events. `spaceId` is `null` if the credential does not identify the space. */
  readonly failures: readonly { readonly spaceId: string | null; readonly reason: Failure }[];
}

/**
 * Counts the results of events for `/metrics`, and by space for the last hour. The counts exist only in memory and
 * start at zero with the process, because storing them would slow down ingest. `publishCounts` publishes them to other
 * replicas.
 */
export interface Tally {
  answered(answer: Answered): void;
  /**
   * Counts a rejected request by its error.
   *
   * @param spaceId space that the credential identifies, or `null` if unknown.
   */
  refused(error: unknown, spaceId: string | null): void;
  of(spaceId: string): SpaceCounts | undefined;
  /** Returns the spaces with changes since the last call. */
  takeUnpublished(): [spaceId: string, SpaceCounts][];
}

/** Maximum number of spaces with counts. The counts of a space use at most a few dozen KiB. */
const MAX_SPACES = 1000;

/** @param usage counts the accepted events by space and day. */
export function createTally(
  metrics: Metrics,
  clock: Clock,
  usage: Pick<UsageCounter, 'count'>,
): Tally {
  const count = counters(metrics);
  const spaces = new Map<string, SpaceCounts>();

  function countsOf(spaceId: string): SpaceCounts {
    const known = spaces.get(spaceId);
    if (known !== undefined) return known;
    const [oldest] = spaces.keys();
    if (spaces.size >= MAX_SPACES && oldest !== undefined) spaces.delete(oldest);
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
        usage.count(spaceId, { events: events.length });
      }
      count.events(stored, accepted - stored, failures.length);
      for (const { spaceId, reason } of failures) {
        count.failure(reason);
        if (spaceId !== null) countsOf(spaceId).fail(minute, reason, 1);
      }
    },
    refused: (error, spaceId) => {
      const reason = refusalOf(error)?.reason;
      if (reason === undefined) return;
      count.refusal(reason);
      if (spaceId !== null) countsOf(spaceId).refuse(minuteOf(clock()), reason);
    },
    of: (spaceId) => spaces.get(spaceId),
    takeUnpublished: () => {
      const unpublished = [...spaces].filter(([, counts]) => counts.isUnpublished);
      for (const [, counts] of unpublished) counts.isUnpublished = false;
      return unpublished;
    },
  };
}

const REASONS: Readonly<Record<number, Refusal>> = {
  400: 'malformed',
  401: 'unproven',
  403: 'forbidden',
  413: 'malformed',
  415: 'malformed',
  429: 'rate-limited',
  503: 'overloaded',
};

/** Returns the reason and the status of a rejected request, or `null` for another error. */
export function refusalOf(
  error: unknown,
): { readonly reason: Refusal; readonly status: number } | null {
  if (error instanceof StorageUnavailable)
    return { reason: error.reason === 'overloaded' ? 'overloaded' : 'unavailable', status: 503 };
  // Errors of Fastify have a `statusCode`.
  const { statusCode } = error as { readonly statusCode?: unknown };
  const status = error instanceof ApiError ? error.status : Number(statusCode);
  const reason = REASONS[status];
  return reason === undefined ? null : { reason, status };
}

/** Labels are resolved once, because resolving a label takes several times as long as counting. */
function counters(metrics: Metrics) {
  const events = metrics.counter({
    name: 'gatehouse_events_total',
    help: 'Events received, by outcome.',
    labels: ['outcome'],
  });
  const failed = metrics.counter({
    name: 'gatehouse_events_failed_total',
    help: 'Events that failed in an accepted request, by reason.',
    labels: ['reason'],
  });
  const refused = metrics.counter({
    name: 'gatehouse_event_requests_refused_total',
    help: 'Requests with events that were rejected as a whole, by reason.',
    labels: ['reason'],
  });
  const bytes = metrics.counter({
    name: 'gatehouse_event_bytes_total',
    help: 'Bytes of accepted events.',
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
