import type { Clock } from '../../lib/scheduling/index.ts';
import type { SharedBuckets } from '../../storage/ports/index.ts';
import type { Judgement } from '../credentials/judgement.ts';
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

export interface IngestLimits extends AsyncDisposable {
  /** Throws 429 if the key or its space has reached a limit. */
  require(keyId: string, spaceId: string): void;
  /** Counts the events of a request. Throws 429 and counts nothing if one of its keys or spaces has reached a limit. */
  take(events: readonly ReadEvent[], judgements: readonly Judgement[]): void;
}

export interface IngestLimitsDeps {
  readonly rates: IngestRates;
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

export function createIngestLimits(deps: IngestLimitsDeps): IngestLimits {
  const { rates, clock, shared } = deps;
  const sharing = shared === null ? null : new BucketSharing({ ...deps, shared });
  const key = createLimit('API key', rates.eventsOfKey, rates.bytesOfKey, sharing);
  const space = createLimit('space', rates.eventsOfSpace, rates.bytesOfSpace, sharing);
  const unlimited = Object.values(rates).every((rate) => rate === 0);
  return {
    require: (keyId, spaceId) => {
      if (unlimited) return;
      const now = clock();
      key.require(keyId, now);
      space.require(spaceId, now);
    },
    take: (events, judgements) => {
      if (unlimited) return;
      const now = clock();
      const loads = loadsOf(events, judgements);
      for (const id of loads.ofKeys.keys()) key.require(id, now);
      for (const id of loads.ofSpaces.keys()) space.require(id, now);
      for (const [id, load] of loads.ofKeys) key.take(id, load, now);
      for (const [id, load] of loads.ofSpaces) space.take(id, load, now);
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

  function take(limit: SharedLimit, id: string, amount: number, now: number): void {
    if (limit.buckets.rate === 0) return;
    limit.buckets.take(id, amount, now);
    sharing?.report(limit, id, amount);
  }

  return {
    require(id: string, now: number): void {
      const forEvents = ofEvents.buckets.wait(id, now);
      if (forEvents > 0) throw rateLimited(who, `${events} events`, forEvents);
      const forBytes = ofBytes.buckets.wait(id, now);
      if (forBytes > 0) throw rateLimited(who, `${bytes} bytes`, forBytes);
    },
    take(id: string, load: Load, now: number): void {
      take(ofEvents, id, load.events, now);
      take(ofBytes, id, load.bytes, now);
    },
  };
}

/** Counts valid and invalid events whose credential was accepted. The sender of any other event is unknown. */
function loadsOf(events: readonly ReadEvent[], judgements: readonly Judgement[]) {
  const [ofKeys, ofSpaces] = [new Map<string, Load>(), new Map<string, Load>()];
  for (const { index, start, end } of events) {
    const judgement = judgements[index];
    if (judgement?.accepted !== true) continue;
    add(ofSpaces, judgement.spaceId, end - start);
    if (judgement.keyId !== null) add(ofKeys, judgement.keyId, end - start);
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
