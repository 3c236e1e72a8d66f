import type { Clock } from '../../lib/scheduling/index.ts';
import type { SharedBuckets } from '../../storage/ports/index.ts';
import type { Judgement } from '../credentials/judgement.ts';
import type { ReadEvent } from '../formats/read-event.rules.ts';
import { rateLimited } from '../ingest.errors.ts';
import { BucketSharing, type ToldBuckets } from './bucket-sharing.ts';
import { Buckets, type PerSecond } from './rate.rules.ts';

export interface IngestRates {
  readonly eventsOfKey: PerSecond;
  readonly bytesOfKey: PerSecond;
  readonly eventsOfSpace: PerSecond;
  readonly bytesOfSpace: PerSecond;
}

/** How many events, and bytes of them, a key and a space may send. */
export interface IngestLimits extends AsyncDisposable {
  /** Throws 429 when the key, or its space, may send nothing now. */
  require(keyId: string, spaceId: string): void;
  /** Counts a request by what each of its events was judged to be. Throws 429, and counts nothing, when one of those it counts for may send nothing now. */
  take(events: readonly ReadEvent[], judgements: readonly Judgement[]): void;
}

export interface IngestLimitsDeps {
  readonly rates: IngestRates;
  readonly clock: Clock;
  /** Of all replicas; null: this process is all there is. */
  readonly shared: SharedBuckets | null;
  /** Hears why they could not be told what was taken here. */
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
  const none = Object.values(rates).every((rate) => rate === 0);
  return {
    require: (keyId, spaceId) => {
      if (none) return;
      const now = clock();
      key.require(keyId, now);
      space.require(spaceId, now);
    },
    take: (events, judgements) => {
      if (none) return;
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

  function take(told: ToldBuckets, id: string, amount: number, now: number): void {
    if (told.buckets.rate === 0) return;
    told.buckets.take(id, amount, now);
    sharing?.taken(told, id, amount);
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

/** Of events whose credential is accepted, valid or not: nobody is charged for what somebody else sends. */
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
