import { hash, hkdfSync } from 'node:crypto';
import type { Clock } from '../../lib/scheduling/index.ts';
import { NullViolation, UniqueViolation } from '../../lib/threads/index.ts';
import { startRemoval } from '../../platform/jobs/index.ts';
import { createSealer } from '../../platform/secrets/index.ts';
import {
  type Database,
  inTransaction,
  type Leases,
  runWrites,
  type Semaphores,
  type Write,
} from '../../storage/ports/index.ts';
import { createSecretDerivation, selectorHashOf, tokenCheckOf } from './derived-token.rules.ts';
import { stillRunning } from './idempotency.errors.ts';
import { createIdempotencyRepository } from './idempotency.repository.ts';
import { KeyLimit } from './key-limit.ts';
import type { Attempt, DerivedId, KeyedRequest, Outcome } from './keyed-request.ts';
import type { KeyedResources } from './keyed-resource.repository.ts';
import { createReplays, REPLAY_MS, resourceKeyOf, tokenOf } from './replays.service.ts';
import { sealExchange } from './stored-response.rules.ts';

export interface IdempotencyDeps {
  readonly db: Database;
  readonly resources: KeyedResources;
  readonly semaphores: Semaphores;
  readonly leases: Leases;
  readonly clock: Clock;
  /** The secret of the installation. */
  readonly secret: Buffer;
  /** Maximum stored responses per caller. 0: no limit. */
  readonly maxPerCaller: number;
  /** `true` if no other process uses the store. */
  readonly isAlone: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Runs requests with an `Idempotency-Key` at most once. A first request has one of three states:
 *
 * - running: its process holds a semaphore. Other requests with the key get 409. If the process dies, the semaphore becomes free
 *   within seconds.
 * - stored: its response was committed. Other requests with the key get this response for 24 hours.
 * - failed: nothing is stored, so the next request with the key runs.
 *
 * The primary key of the responses rejects a second response even if a replica loses its semaphore.
 *
 * An operation of one short transaction needs neither the semaphore nor a lookup of a stored response. A repetition runs the
 * operation again, and the primary key rolls its transaction back, which is cheaper than a lookup. Repetitions in the same process
 * get 409 before they run. In another replica, a lock that ends with the first transaction makes the write of the repetition fail.
 *
 * The creation of a link with an API key does not store its response: the token of the link is derived from the API key and the
 * `Idempotency-Key`, so a unique index rejects a second link, and a repetition derives the token again.
 */
export interface Idempotency extends AsyncDisposable {
  /** Throws 409, 422 or 429. Rejects with the error of `work` if the request fails. */
  run<Result>(
    request: KeyedRequest,
    work: (attempt: Attempt) => Promise<Result>,
  ): Promise<Outcome<Result>>;
  /** Returns the write that removes the stored responses about a person. */
  removalOf(spaceId: string, sub: string): Write;
  /** Starts the job that removes expired responses. */
  start(): Promise<void>;
}

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const { db, resources, semaphores, clock, secret } = deps;
  const repository = createIdempotencyRepository(db, resources, deps.isAlone);
  const deriveSecret = createSecretDerivation(secret);
  const sealer = createSealer(secret, 'idempotent responses');
  const findReplay = createReplays({ repository, resources, sealer, clock });
  const hashKey = Buffer.from(
    hkdfSync('sha256', secret, '', 'gatehouse idempotency hashes', 32),
  ).toString('base64url');
  // Not an HMAC, because the hashes never leave the database.
  const subjectHashOf = (spaceId: string, sub: string) =>
    hash('sha256', `${hashKey}\nsubject\n${spaceId}\n${sub}`, 'base64url');
  const limit = new KeyLimit({ max: deps.maxPerCaller, clock, count: repository.count });
  const removal = deps.leases.job('idempotency', () =>
    startRemoval({
      removeSome: () => repository.removeSomeExpired(clock()),
      onError: deps.onError,
    }),
  );

  function identify({ caller, apiKey, key }: KeyedRequest): DerivedId {
    const ofKey = deriveSecret(apiKey?.text ?? caller, key);
    return { caller, keyHash: selectorHashOf(ofKey), secret: ofKey };
  }

  /** @param isExpired `true` replaces a response or record that has expired. The new response is then stored. */
  function attemptOf(id: DerivedId, request: KeyedRequest, isExpired: boolean): Attempt {
    const { caller, keyHash } = id;
    const writes: Attempt['writes'] = (fingerprint, response, { spaceId, sub = null }) => {
      const resourceKey = resourceKeyOf(id, request);
      const insertion = repository.insertion(
        {
          caller,
          keyHash,
          spaceId,
          subjectHash: spaceId === null || sub === null ? null : subjectHashOf(spaceId, sub),
          sealed: sealExchange(sealer, { fingerprint, response }, keyHash),
          expiresAt: clock() + REPLAY_MS,
        },
        resourceKey === null ? null : { ...resourceKey, since: clock() - REPLAY_MS },
      );
      return isExpired ? [repository.removalOfExpired(id, clock()), insertion] : [insertion];
    };
    return {
      record: () => {
        if (request.apiKey === null || request.restore === null || isExpired) return null;
        const token = tokenOf(id, request);
        return { caller, token, selectorHash: keyHash, tokenCheck: tokenCheckOf(token) };
      },
      writes,
      store: (...response) => inTransaction(db, (trx) => runWrites(trx, writes(...response))),
    };
  }

  /** Hashes of the keys whose operation of one transaction runs in this process. */
  const running = new Set<string>();

  async function runOneTransaction<Result>(
    request: KeyedRequest,
    work: (attempt: Attempt) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    const id = identify(request);
    if (running.has(id.keyHash)) return replayOrConflict(request, id);
    running.add(id.keyHash);
    try {
      return await runOrReplay(request, id, work, false);
    } finally {
      running.delete(id.keyHash);
    }
  }

  async function runOrReplay<Result>(
    request: KeyedRequest,
    id: DerivedId,
    work: (attempt: Attempt) => Promise<Result>,
    isExpired: boolean,
  ): Promise<Outcome<Result>> {
    try {
      const counting = limit.use(id.caller);
      if (counting !== undefined) await counting;
      return { isReplay: false, response: await work(attemptOf(id, request, isExpired)) };
    } catch (error) {
      // Also after other failures than a violation of a key: the request may have become invalid since it succeeded.
      const earlier = await findReplay(id, request);
      if (earlier.outcome !== null) return earlier.outcome;
      if (error instanceof NullViolation) throw stillRunning();
      const isBlocked = error instanceof UniqueViolation && earlier.isExpired;
      if (isExpired || !isBlocked) throw error;
      return runOrReplay(request, id, work, true);
    }
  }

  /** Replays the response of a request that may still be running. */
  async function replayOrConflict(request: KeyedRequest, id: DerivedId): Promise<Outcome<never>> {
    // The first request may have stored its response and not yet released its key.
    const { outcome } = await findReplay(id, request);
    if (outcome === null) throw stillRunning();
    return outcome;
  }

  async function runOnce<Result>(
    request: KeyedRequest,
    id: DerivedId,
    work: (attempt: Attempt) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    const earlier = await findReplay(id, request);
    if (earlier.outcome !== null) return earlier.outcome;
    await limit.use(id.caller);
    try {
      return { isReplay: false, response: await work(attemptOf(id, request, earlier.isExpired)) };
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
      // Another replica may have stored a response after this replica lost its semaphore.
      const { outcome } = await findReplay(id, request);
      if (outcome === null) throw error;
      return outcome;
    }
  }

  async function runWithSemaphore<Result>(
    request: KeyedRequest,
    work: (attempt: Attempt) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    const id = identify(request);
    const acquisition = await semaphores.acquire([
      { key: `idempotency ${id.keyHash}`, permits: 1 },
    ]);
    if (!acquisition.acquired) return replayOrConflict(request, id);
    try {
      const outcome = await runOnce(request, id, work);
      void acquisition.release();
      return outcome;
    } catch (error) {
      // After a failure, the client may repeat the request immediately.
      await acquisition.release();
      throw error;
    }
  }

  return {
    run: (request, work) =>
      request.isOneTransaction ? runOneTransaction(request, work) : runWithSemaphore(request, work),
    removalOf: (spaceId, sub) => repository.removalOfSubject(spaceId, subjectHashOf(spaceId, sub)),
    start: removal.start,
    [Symbol.asyncDispose]: async () => removal[Symbol.asyncDispose](),
  };
}
