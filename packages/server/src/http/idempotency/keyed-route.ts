import type { Operation } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import { NO_WRITES } from '../../storage/ports/index.ts';
import type { Once, SendableResponse } from '../response.ts';
import type { Idempotency } from './idempotency.service.ts';
import { fingerprintOf, readIdempotencyKey, requestHashOf } from './idempotency-key.rules.ts';
import type { ApiKeyOfRequest, ResponseOwner, RestoredResource } from './keyed-request.ts';
import type { StoredResponse } from './stored-response.rules.ts';

type PathParameters = Readonly<Record<string, string | undefined>>;

/** The part of an idempotent route that depends on its kind of caller. */
export interface ReplayRules<C> {
  /** Returns the kind and ID of the caller. */
  readonly caller: (caller: C) => string;
  /**
   * Throws 403 unless the caller may still create the resource in this space.
   *
   * @param params the parameters of the path.
   * @param body the body of the stored response, or null if it is empty.
   */
  readonly authorize: (
    caller: C,
    spaceId: string,
    params: PathParameters,
    body: unknown,
  ) => Promise<unknown>;
  /** Reads the body of a repeated request and returns its digest. Required if the handler reads the body itself. */
  readonly bodyDigest?: (request: FastifyRequest) => Promise<string>;
  /**
   * Declares that the operation has no effect except one short transaction, which stores the response. A repetition may then run the
   * operation up to this transaction, which is rolled back.
   */
  readonly isOneTransaction?: true;
  /** Returns the API key with which a request was sent, or null. */
  readonly apiKey: (request: FastifyRequest, caller: C) => ApiKeyOfRequest | null;
  /** Returns the response of a request whose handler called `once.record`. The body must be in memory. */
  readonly restore?: (link: RestoredResource) => SendableResponse;
}

export interface KeyedCall<C> {
  readonly request: FastifyRequest;
  readonly caller: C;
  readonly replay: ReplayRules<C>;
}

/** Runs the handler of an idempotent operation, or returns the stored response of the first request with the same key. */
export async function runIdempotently<O extends Operation, C>(
  idempotency: Idempotency | null,
  { request, caller, replay }: KeyedCall<C>,
  handle: (once: Once<O>) => Promise<SendableResponse>,
): Promise<SendableResponse> {
  const key = idempotency === null ? null : readIdempotencyKey(request);
  if (idempotency === null || key === null) return handle(notStored());
  const { restore } = replay;
  const keyed = {
    caller: replay.caller(caller),
    key,
    apiKey: replay.apiKey(request, caller),
    isOneTransaction: replay.isOneTransaction === true,
    requestHash: (secret: string) => requestHashOf(request, secret),
    restore: restore === undefined ? null : (link: RestoredResource) => toStored(restore(link)),
    fingerprint: async () => fingerprintOf(request, await replay.bodyDigest?.(request)),
    authorize: (spaceId: string, { text }: StoredResponse) =>
      replay.authorize(
        caller,
        spaceId,
        pathParameters(request),
        text === null ? null : JSON.parse(text),
      ),
  };
  const outcome = await idempotency.run(keyed, async (attempt) => {
    let digest: (() => string) | undefined;
    /** Status of the response that joined the operation's transaction. */
    let joined: number | null = null;
    let isRecorded = false;
    const once: Once<O> = {
      bodyIs: (bodyDigest) => {
        digest = bodyDigest;
      },
      record: () => {
        const recorded = attempt.record();
        isRecorded = recorded !== null;
        return recorded;
      },
      store: (respond) => (result) => {
        const { response, ...owner } = respond(result);
        joined = response.status;
        return attempt.writes(fingerprintOf(request, digest?.()), toStored(response), owner);
      },
    };
    const response = await handle(once);
    // The status differs if a transaction failed and the handler then responded otherwise.
    if (!isRecorded && joined !== response.status)
      await attempt.store(
        fingerprintOf(request, digest?.()),
        toStored(response),
        ownerByPath(request),
      );
    return response;
  });
  return outcome.isReplay ? replayed(outcome.response) : outcome.response;
}

/** Returns a store for requests whose response is not stored. */
export function notStored<O extends Operation>(): Once<O> {
  return { record: () => null, store: () => NO_WRITES, bodyIs: () => {} };
}

function pathParameters({ params }: FastifyRequest): PathParameters {
  return params as PathParameters;
}

function ownerByPath(request: FastifyRequest): ResponseOwner {
  const { spaceId } = pathParameters(request);
  return { spaceId: spaceId?.toLowerCase() ?? null };
}

function toStored({ status, headers = {}, body, text }: SendableResponse): StoredResponse {
  const json = body === undefined ? null : JSON.stringify(body);
  return { status, headers, text: text ?? json };
}

function replayed({ status, headers, text }: StoredResponse): SendableResponse {
  return {
    status,
    headers: { ...headers, 'idempotent-replayed': 'true' },
    ...(text === null ? {} : { text }),
  };
}
