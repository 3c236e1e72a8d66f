import type { ApiError } from '@gatehouse/contract';
import { type Clock, PacedRejections } from '../../lib/scheduling/index.ts';
import type { SharedBuckets } from '../../storage/ports/index.ts';
import type { Authorisation } from '../credentials/authorisation.ts';
import type { ReadEvent } from '../formats/read-event.rules.ts';
import { rateLimited } from '../ingest.errors.ts';
import { BucketSharing, type SharedLimit } from './bucket-sharing.ts';
import { Buckets, type PerSecond } from './rate.rules.ts';

export interface IngestRates {
  readonly eventsOfKey: PerSecond;
  readonly bytesOfKey: PerSecond;
  readonly eventsOfSpace: PerSecond;
  readonly bytesOfSpace: PerSecond;
}

/**
 * Limits of the events and bytes that keys and spaces may send. Repeated rejections are delayed as `PacedRejections` describes, because
 * a sender that repeats large requests at once would otherwise occupy the event loop. A request is accepted if its limits permit it
 * after the delay.
 */
export interface IngestLimits extends AsyncDisposable {
  /** Rejects with 429 if the key or its space has reached a limit. */
  require(keyId: string, spaceId: string): Promise<void>;
  /**
   * Counts the events of a request. Rejects with 429 and counts nothing if one of its keys or spaces has reached a limit.
   * The returned function reverses the count, for a request whose events could not be stored.
   */
  take(events: readonly ReadEvent[], authorisations: readonly Authorisation[]): Promise<() => void>;
}

export interface IngestLimitsDeps {
  readonly rates: IngestRates;
  /** A clock that is never set back, such as `performance.now`. */
  readonly clock: Clock;
  /** Buckets shared by all replicas. `null` if there is only one process. */
  readonly shared: SharedBuckets | null;
  /** Called if the consumption of this process cannot be reported to the other replicas. */
  readonly onError: (error: unknown) => void;
}

interface Load {
  events: number;
  bytes: number;
}

type Loads = ReadonlyMap<string, Load>;

interface Refusal {
  /** The key or space that has reached a limit. */
  readonly id: string;
  readonly error: ApiError;
}

export function createIngestLimits(deps: IngestLimitsDeps): IngestLimits {
  const { rates, clock, shared } = deps;
  const sharing = shared === null ? null : new BucketSharing({ ...deps, shared });
  const key = createLimit('API key', rates.eventsOfKey, rates.bytesOfKey, sharing);
  const space = createLimit('space', rates.eventsOfSpace, rates.bytesOfSpace, sharing);
  const unlimited = Object.values(rates).every((rate) => rate === 0);
  const rejections = new PacedRejections(() => performance.now());

  /** Runs `attempt`, and once more after the delay of a rejection. */
  async function admit(attempt: (now: number) => Refusal | null): Promise<void> {
    const first = attempt(clock());
    if (first === null) return;
    await rejections.wait(first.id);
    const second = attempt(clock());
    if (second !== null) throw second.error;
  }

  function refusalOf(
    keyIds: Iterable<string>,
    spaceIds: Iterable<string>,
    now: number,
  ): Refusal | null {
    return key.refusalOf(keyIds, now) ?? space.refusalOf(spaceIds, now);
  }

  return {
    async require(keyId, spaceId) {
      if (!unlimited) await admit((now) => refusalOf([keyId], [spaceId], now));
    },
    async take(events, authorisations) {
      if (unlimited) return () => {};
      const { ofKeys, ofSpaces } = loadsOf(events, authorisations);
      await admit((now) => {
        const refusal = refusalOf(ofKeys.keys(), ofSpaces.keys(), now);
        if (refusal !== null) return refusal;
        key.take(ofKeys, now);
        space.take(ofSpaces, now);
        return null;
      });
      return () => {
        key.take(ofKeys, clock(), -1);
        space.take(ofSpaces, clock(), -1);
      };
    },
    [Symbol.asyncDispose]: async () => sharing?.close(),
  };
}

function createLimit(
  who: 'API key' | 'space',
  events: PerSecond,
  bytes: PerSecond,
  sharing: BucketSharing | null,
) {
  const ofEvents = { limit: `events of ${who}`, buckets: new Buckets(events) };
  const ofBytes = { limit: `bytes of ${who}`, buckets: new Buckets(bytes) };

  function refusalOf(id: string, now: number): ApiError | null {
    const forEvents = ofEvents.buckets.wait(id, now);
    if (forEvents > 0) return rateLimited(who, `${events} events`, forEvents);
    const forBytes = ofBytes.buckets.wait(id, now);
    return forBytes > 0 ? rateLimited(who, `${bytes} bytes`, forBytes) : null;
  }

  function take(limit: SharedLimit, id: string, amount: number, now: number): void {
    if (limit.buckets.rate === 0) return;
    limit.buckets.take(id, amount, now);
    sharing?.report(limit, id, amount);
  }

  return {
    refusalOf(ids: Iterable<string>, now: number): Refusal | null {
      for (const id of ids) {
        const error = refusalOf(id, now);
        if (error !== null) return { id, error };
      }
      return null;
    },
    /** @param times -1 reverses an earlier call. */
    take(loads: Loads, now: number, times: 1 | -1 = 1): void {
      for (const [id, load] of loads) {
        take(ofEvents, id, times * load.events, now);
        take(ofBytes, id, times * load.bytes, now);
      }
    },
  };
}

/** Counts valid and invalid events whose credential was accepted. The sender of any other event is unknown. */
function loadsOf(events: readonly ReadEvent[], authorisations: readonly Authorisation[]) {
  const [ofKeys, ofSpaces] = [new Map<string, Load>(), new Map<string, Load>()];
  for (const { index, start, end } of events) {
    const authorisation = authorisations[index];
    if (authorisation?.accepted !== true) continue;
    add(ofSpaces, authorisation.spaceId, end - start);
    if (authorisation.keyId !== null) add(ofKeys, authorisation.keyId, end - start);
  }
  return { ofKeys, ofSpaces };
}

function add(loads: Map<string, Load>, id: string, bytes: number): void {
  const load = loads.get(id);
  if (load === undefined) loads.set(id, { events: 1, bytes });
  else {
    load.events += 1;
    load.bytes += bytes;
  }
}
