import type { Clock } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import { derivedToken, isTokenOf } from './derived-token.rules.ts';
import { otherRequest } from './idempotency.errors.ts';
import type { FoundResponse, IdempotencyRepository, RequestId } from './idempotency.repository.ts';
import type { DerivedId, KeyedRequest, Outcome } from './keyed-request.ts';
import type { KeyedResource, KeyedResources, ResourceKey } from './keyed-resource.repository.ts';
import { openExchange } from './stored-response.rules.ts';

/** Time for which a response is replayed. */
export const REPLAY_MS = 24 * 3_600_000;

export interface ReplaysDeps {
  readonly repository: Pick<IdempotencyRepository, 'find'>;
  readonly resources: KeyedResources;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

export interface Replay {
  /** The response of an earlier request with the key. Null if there is none, or if it has expired. */
  readonly outcome: Outcome<never> | null;
  /** `true` if an expired response or record of the key is still stored. */
  readonly isExpired: boolean;
}

/** Returns the response of an earlier request with the same key. Throws 422 if the earlier request was a different one. */
export type FindReplay = (id: DerivedId, request: KeyedRequest) => Promise<Replay>;

export function createReplays({ repository, resources, sealer, clock }: ReplaysDeps): FindReplay {
  const isUnexpired = ({ expiresAt }: FoundResponse) => expiresAt > clock();
  const isLiveRecord = ({ tokenCheck, createdAt }: KeyedResource) =>
    tokenCheck !== null && createdAt > clock() - REPLAY_MS;

  async function replayResponse(
    { keyHash }: RequestId,
    { sealed, spaceId }: FoundResponse,
    request: KeyedRequest,
  ): Promise<Outcome<never>> {
    const { fingerprint, response } = openExchange(sealer, sealed, keyHash);
    if (fingerprint !== (await request.fingerprint())) throw otherRequest();
    if (spaceId !== null) await request.authorize(spaceId, response);
    return { isReplay: true, response };
  }

  return async (id, request) => {
    const response = await repository.find(id);
    if (response !== null && isUnexpired(response))
      return { outcome: await replayResponse(id, response, request), isExpired: false };
    const key = resourceKeyOf(id, request);
    const resource = key === null ? null : await resources.find(key);
    if (resource !== null && isLiveRecord(resource))
      return { outcome: await replayResource(id, resource, request), isExpired: false };
    return { outcome: null, isExpired: response !== null || resource !== null };
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
  const response = restore({ ...resource, token });
  await authorize(resource.spaceId, response);
  return { isReplay: true, response };
}

/** Returns the key of a link that is the record of this request, or null if the caller is not an API key. */
export function resourceKeyOf(
  { keyHash }: RequestId,
  { apiKey }: KeyedRequest,
): ResourceKey | null {
  return apiKey === null ? null : { spaceId: apiKey.spaceId, selectorHash: keyHash };
}

/** Returns the token of the link that a request of an API key creates. */
export function tokenOf({ secret }: DerivedId, { requestHash }: KeyedRequest): string {
  return derivedToken(secret, requestHash(secret));
}
