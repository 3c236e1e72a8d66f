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
import {
  createSecretDerivation,
  derivedToken,
  isTokenOf,
  selectorHashOf,
  tokenCheckOf,
} from './derived-token.rules.ts';
import { otherRequest, stillRunning } from './idempotency.errors.ts';
import {
  createIdempotencyRepository,
  type FoundResponse,
  type RequestId,
} from './idempotency.repository.ts';
import { KeyLimit } from './key-limit.ts';
import type { KeyedResource, KeyedResources, ResourceKey } from './keyed-resource.repository.ts';
import { openExchange, type StoredAnswer, sealExchange } from './stored-answer.rules.ts';

/** Time for which a response is replayed. */
export const REPLAY_MS = 24 * 3_600_000;

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

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** Kind and id of the caller. A key of one caller has no effect on the requests of other callers. */
  readonly caller: string;
  readonly key: string;
  /** The API key with which the request was sent, or null. Only resources of API keys are the records of their requests. */
  readonly apiKey: ApiKeyOfRequest | null;
  /** Returns the fingerprint of a repeated request. May read the body. */
  readonly fingerprint: () => Promise<string>;
  /** Returns the end of the token of the request's resource: a hash of the secret and the request. */
  readonly requestHash: (secret: string) => string;
  /** Returns the response of a request whose record is its resource. Null if the operation stores its response. */
  readonly restore: ((resource: RestoredResource) => StoredAnswer) | null;
  /** Throws if the caller no longer has the right to create the resource of the stored answer in this space. */
  readonly authorize: (spaceId: string, answer: StoredAnswer) => Promise<unknown>;
  /** `true` if the operation consists of one short transaction that stores its response; see `Idempotency`. */
  readonly isOneTransaction: boolean;
}

export interface ApiKeyOfRequest {
  readonly text: string;
  /** Space of the API key. */
  readonly spaceId: string;
}

/** The ID of a request, and the secret from which the token of its link is made if it is sent with an API key. */
interface DerivedId extends RequestId {
  readonly secret: string;
}

/** The stored part of a resource, with its token. */
export interface RestoredResource extends Pick<KeyedResource, 'id' | 'spaceId' | 'payload'> {
  readonly token: string;
}

/** The values with which a new resource is the record of its request. */
export interface RecordedRequest {
  readonly caller: string;
  /** The token of the resource. A repetition derives the same token. */
  readonly token: string;
  /** SHA-256 of the token's selector, in hex. It also identifies a stored response to the same `Idempotency-Key`. */
  readonly selectorHash: string;
  /** Hash of the token. */
  readonly tokenCheck: string;
}

/** Owner of a stored response. */
export interface ResponseOwner {
  /** Space of the created resource. Null if the resource has no space. */
  readonly spaceId: string | null;
  /** The `sub` of the person whom the response concerns. */
  readonly sub?: string | null;
}

/** The first request with a key, while it runs. */
export interface Attempt {
  /** Makes the created resource the record of the request, so that its response is not stored. Null if the response must be stored. */
  record(): RecordedRequest | null;
  /**
   * Returns the writes that store the response. Commit them together with the created resource: a repetition after a crash then
   * finds either both or neither.
   */
  writes(fingerprint: string, answer: StoredAnswer, owner: ResponseOwner): readonly Write[];
  /** Stores the response of an operation that has already been committed. */
  store(fingerprint: string, answer: StoredAnswer, owner: ResponseOwner): Promise<void>;
}

export type Outcome<Answer> =
  | { readonly isReplay: false; readonly answer: Answer }
  | { readonly isReplay: true; readonly answer: StoredAnswer };

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
 * An operation of one short transaction needs neither the semaphore nor a look for a stored response, which would take longer than
 * the operation: a repetition runs the operation, and the primary key rolls its transaction back. Repetitions in the same process
 * get 409 before they run. In another replica, a lock that ends with the first transaction makes the write of the repetition fail.
 *
 * The creation of a link with an API key does not store its response: the token of the link is derived from the API key and the
 * `Idempotency-Key`, so a unique index rejects a second link, and a repetition derives the token again.
 */
export interface Idempotency extends AsyncDisposable {
  /** Throws 409, 422 or 429. Rejects with the error of `work` if the request fails. */
  run<Answer>(
    request: KeyedRequest,
    work: (attempt: Attempt) => Promise<Answer>,
  ): Promise<Outcome<Answer>>;
  /** Returns the write that removes the stored responses about a person. */
  removalOf(spaceId: string, sub: string): Write;
  /** Removes the stored responses about resources of a deleted space. */
  removeSpace(spaceId: string): void;
  /** Starts the job that removes expired responses. */
  start(): Promise<void>;
}

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const { db, semaphores, clock, secret } = deps;
  const { resources } = deps;
  const repository = createIdempotencyRepository(db, resources, deps.isAlone);
  const deriveSecret = createSecretDerivation(secret);
  const sealer = createSealer(secret, 'idempotent responses');
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

  const isLive = ({ expiresAt }: FoundResponse) => expiresAt > clock();

  async function find(id: RequestId): Promise<FoundResponse | null> {
    const found = await repository.find(id);
    return found !== null && isLive(found) ? found : null;
  }

  async function replay(
    id: RequestId,
    { sealed, spaceId }: FoundResponse,
    request: KeyedRequest,
  ): Promise<Outcome<never>> {
    const { fingerprint, answer } = openExchange(sealer, sealed, id.keyHash);
    if (fingerprint !== (await request.fingerprint())) throw otherRequest();
    if (spaceId !== null) await request.authorize(spaceId, answer);
    return { isReplay: true, answer };
  }

  const resourceIsLive = ({ tokenCheck, createdAt }: KeyedResource) =>
    tokenCheck !== null && createdAt > clock() - REPLAY_MS;

  async function findResource(id: RequestId, request: KeyedRequest): Promise<KeyedResource | null> {
    const resourceKey = resourceKeyOf(id, request);
    return resourceKey === null ? null : resources.find(resourceKey);
  }

  /** @param isExpired `true` replaces a response or record that has expired. The new response is then stored. */
  function attemptOf(id: DerivedId, request: KeyedRequest, isExpired: boolean): Attempt {
    const { caller, keyHash } = id;
    const writes: Attempt['writes'] = (fingerprint, answer, { spaceId, sub = null }) => {
      const resourceKey = resourceKeyOf(id, request);
      const insertion = repository.insertion(
        {
          caller,
          keyHash,
          spaceId,
          subjectHash: spaceId === null || sub === null ? null : subjectHashOf(spaceId, sub),
          sealed: sealExchange(sealer, { fingerprint, answer }, keyHash),
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

  /** Returns the response of the request that created a resource. */
  async function replayResource(
    id: DerivedId,
    resource: KeyedResource,
    request: KeyedRequest,
  ): Promise<Outcome<never>> {
    const { restore, authorize } = request;
    if (restore === null) throw otherRequest();
    const token = tokenOf(id, request);
    if (!isTokenOf(resource.tokenCheck ?? '', token)) throw otherRequest();
    const answer = restore({ ...resource, token });
    await authorize(resource.spaceId, answer);
    return { isReplay: true, answer };
  }

  /** Hashes of the keys whose operation of one transaction runs in this process. */
  const running = new Set<string>();

  async function runOneTransaction<Answer>(
    request: KeyedRequest,
    work: (attempt: Attempt) => Promise<Answer>,
  ): Promise<Outcome<Answer>> {
    const id = identify(request);
    if (running.has(id.keyHash)) return replayOrConflict(request, id);
    running.add(id.keyHash);
    try {
      return await runOrReplay(request, id, work, false);
    } finally {
      running.delete(id.keyHash);
    }
  }

  async function runOrReplay<Answer>(
    request: KeyedRequest,
    id: DerivedId,
    work: (attempt: Attempt) => Promise<Answer>,
    isExpired: boolean,
  ): Promise<Outcome<Answer>> {
    try {
      const counting = limit.use(id.caller);
      if (counting !== undefined) await counting;
      return { isReplay: false, answer: await work(attemptOf(id, request, isExpired)) };
    } catch (error) {
      // Also after other failures than a violation of a key: the request may have become invalid since it succeeded.
      const found = await repository.find(id);
      if (found !== null && isLive(found)) return replay(id, found, request);
      const resource = await findResource(id, request);
      if (resource !== null && resourceIsLive(resource))
        return replayResource(id, resource, request);
      if (error instanceof NullViolation) throw stillRunning();
      const isBlocked = error instanceof UniqueViolation && (found !== null || resource !== null);
      if (isExpired || !isBlocked) throw error;
      return runOrReplay(request, id, work, true);
    }
  }

  /** Replays the response of a request that may still be running. */
  async function replayOrConflict(request: KeyedRequest, id: DerivedId): Promise<Outcome<never>> {
    // The first request may have stored its response and not yet released its key.
    const outcome = await replayStored(request, id, await find(id));
    if (outcome === null) throw stillRunning();
    return outcome;
  }

  /** @param found the stored response, unless it has expired. */
  async function replayStored(
    request: KeyedRequest,
    id: DerivedId,
    found: FoundResponse | null,
  ): Promise<Outcome<never> | null> {
    if (found !== null) return replay(id, found, request);
    const resource = await findResource(id, request);
    return resource !== null && resourceIsLive(resource)
      ? replayResource(id, resource, request)
      : null;
  }

  async function runOnce<Answer>(
    request: KeyedRequest,
    id: DerivedId,
    work: (attempt: Attempt) => Promise<Answer>,
  ): Promise<Outcome<Answer>> {
    const found = await repository.find(id);
    const isExpired = found !== null && !isLive(found);
    const replayed = await replayStored(request, id, isExpired ? null : found);
    if (replayed !== null) return replayed;
    await limit.use(id.caller);
    try {
      return { isReplay: false, answer: await work(attemptOf(id, request, isExpired)) };
    } catch (error) {
      // Another replica may have stored a response after this replica lost its semaphore.
      const other = error instanceof UniqueViolation ? await find(id) : null;
      if (other === null) throw error;
      return replay(id, other, request);
    }
  }

  async function runWithSemaphore<Answer>(
    request: KeyedRequest,
    work: (attempt: Attempt) => Promise<Answer>,
  ): Promise<Outcome<Answer>> {
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
    removeSpace: (spaceId) => void repository.removeOfSpace(spaceId).catch(deps.onError),
    start: removal.start,
    [Symbol.asyncDispose]: async () => removal[Symbol.asyncDispose](),
  };
}

/** Returns the key of a link that is the record of this request, or null if the caller is not an API key. */
function resourceKeyOf({ keyHash }: RequestId, { apiKey }: KeyedRequest): ResourceKey | null {
  return apiKey === null ? null : { spaceId: apiKey.spaceId, selectorHash: keyHash };
}

/** Returns the token of the link that a request of an API key creates. */
function tokenOf({ secret }: DerivedId, { requestHash }: KeyedRequest): string {
  return derivedToken(secret, requestHash(secret));
}
