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
import { otherRequest, stillRunning } from './idempotency.errors.ts';
import {
  createIdempotencyRepository,
  type FoundResponse,
  type RequestId,
} from './idempotency.repository.ts';
import { KeyLimit } from './key-limit.ts';
import type { KeyedResource, KeyedResources, KeyGuard } from './keyed-resource.repository.ts';
import { createTokenSealer } from './sealed-token.rules.ts';
import { openExchange, type StoredAnswer, sealExchange } from './stored-answer.rules.ts';

/** Length of 132 bits in base64url. Every link with a key is in an index of these hashes, so they are short. */
const KEY_HASH_LENGTH = 22;

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
  /** Returns a text and the bytes that identify the request. */
  readonly bytesAfter: (text: string) => Uint8Array;
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

/** The stored part of a resource, with its token. */
export interface RestoredResource extends Pick<KeyedResource, 'id' | 'spaceId' | 'payload'> {
  readonly token: string;
}

/** The values with which a new resource is the record of its request. */
export interface RecordedRequest {
  readonly guard: KeyGuard;
  /** Returns the columns of a resource with this random token. */
  columns(token: string, tokenHash: string): RecordColumns;
}

interface RecordColumns {
  readonly key_hash: string;
  readonly sealed_token: string;
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
 * The creation of a link with an API key does not store its response: the link contains its token, encrypted with the API key and the
 * `Idempotency-Key`, and a unique index on the hash of the key rejects a second link.
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
  const tokens = createTokenSealer(secret);
  const sealer = createSealer(secret, 'idempotent responses');
  const hashKey = Buffer.from(
    hkdfSync('sha256', secret, '', 'gatehouse idempotency hashes', 32),
  ).toString('base64url');
  // An HMAC takes several times as long. Its protection against extension is not needed: the hashes never leave the database, and the
  // padding of SHA-256 contains bytes that are not UTF-8.
  const keyedHash = (text: string) => hash('sha256', `${hashKey}\n${text}`, 'base64url');
  const subjectHashOf = (spaceId: string, sub: string) => keyedHash(`subject\n${spaceId}\n${sub}`);
  const limit = new KeyLimit({ max: deps.maxPerCaller, clock, count: repository.count });
  const removal = deps.leases.job('idempotency', () =>
    startRemoval({
      removeSome: () => repository.removeSomeExpired(clock()),
      onError: deps.onError,
    }),
  );

  function identify({ caller, key }: KeyedRequest): RequestId {
    return { caller, keyHash: keyedHash(`key\n${caller}\n${key}`).slice(0, KEY_HASH_LENGTH) };
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

  const resourceIsLive = ({ createdAt }: KeyedResource) => createdAt > clock() - REPLAY_MS;

  async function findResource({ keyHash }: RequestId, { apiKey }: KeyedRequest) {
    return apiKey === null ? null : resources.find(apiKey.spaceId, keyHash);
  }

  /** @param isExpired `true` replaces a response or record that has expired. The new response is then stored. */
  function attemptOf(id: RequestId, request: KeyedRequest, isExpired: boolean): Attempt {
    const { apiKey, key, restore, bytesAfter } = request;
    const writes: Attempt['writes'] = (fingerprint, answer, { spaceId, sub = null }) => {
      const since = clock() - REPLAY_MS;
      const resourceKey =
        apiKey === null ? null : { spaceId: apiKey.spaceId, keyHash: id.keyHash, since };
      const insertion = repository.insertion(
        {
          ...id,
          spaceId,
          subjectHash: spaceId === null || sub === null ? null : subjectHashOf(spaceId, sub),
          sealed: sealExchange(sealer, { fingerprint, answer }, id.keyHash),
          expiresAt: clock() + REPLAY_MS,
        },
        resourceKey,
      );
      if (!isExpired) return [insertion];
      const released = resourceKey === null ? [] : [resources.release(resourceKey, since)];
      return [repository.removalOfExpired(id, clock()), ...released, insertion];
    };
    return {
      record: () => {
        if (apiKey === null || restore === null || isExpired) return null;
        const secrets = { apiKey: apiKey.text, key, bytesAfter };
        return {
          guard: { ...id, now: clock() },
          columns: (token, tokenHash) => ({
            key_hash: id.keyHash,
            sealed_token: tokens.seal(token, tokenHash, secrets),
          }),
        };
      },
      writes,
      store: (...response) => inTransaction(db, (trx) => runWrites(trx, writes(...response))),
    };
  }

  /** Returns the response of the request that created a resource. */
  async function replayResource(
    resource: KeyedResource,
    { apiKey, key, restore, bytesAfter, authorize }: KeyedRequest,
  ): Promise<Outcome<never>> {
    const { sealedToken, tokenHash } = resource;
    const secrets = { apiKey: apiKey?.text ?? '', key, bytesAfter };
    const token = tokens.open(sealedToken, tokenHash, secrets);
    if (restore === null || token === null) throw otherRequest();
    const answer = restore({ ...resource, token });
    await authorize(resource.spaceId, answer);
    return { isReplay: true, answer };
  }

  /** Hashes of the keys whose operation of one transaction runs in this process. */
  const running = new Set<string>();

  async function runOneTransaction<Answer>(
    request: KeyedRequest,
    id: RequestId,
    work: (attempt: Attempt) => Promise<Answer>,
  ): Promise<Outcome<Answer>> {
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
    id: RequestId,
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
      if (resource !== null && resourceIsLive(resource)) return replayResource(resource, request);
      if (error instanceof NullViolation) throw stillRunning();
      const isBlocked = error instanceof UniqueViolation && (found !== null || resource !== null);
      if (isExpired || !isBlocked) throw error;
      return runOrReplay(request, id, work, true);
    }
  }

  /** Replays the response of a request that may still be running. */
  async function replayOrConflict(request: KeyedRequest, id: RequestId): Promise<Outcome<never>> {
    // The first request may have stored its response and not yet released its key.
    const outcome = await replayStored(request, id, await find(id));
    if (outcome === null) throw stillRunning();
    return outcome;
  }

  /** @param found the stored response, unless it has expired. */
  async function replayStored(
    request: KeyedRequest,
    id: RequestId,
    found: FoundResponse | null,
  ): Promise<Outcome<never> | null> {
    if (found !== null) return replay(id, found, request);
    const resource = await findResource(id, request);
    return resource !== null && resourceIsLive(resource) ? replayResource(resource, request) : null;
  }

  async function runOnce<Answer>(
    request: KeyedRequest,
    id: RequestId,
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

  return {
    run: async (request, work) => {
      const id = identify(request);
      if (request.isOneTransaction) return runOneTransaction(request, id, work);
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
    },
    removalOf: (spaceId, sub) => repository.removalOfSubject(spaceId, subjectHashOf(spaceId, sub)),
    removeSpace: (spaceId) => void repository.removeOfSpace(spaceId).catch(deps.onError),
    start: removal.start,
    [Symbol.asyncDispose]: async () => removal[Symbol.asyncDispose](),
  };
}
