import type { Write } from '../../storage/ports/index.ts';
import type { RequestId } from './idempotency.repository.ts';
import type { KeyedResource } from './keyed-resource.repository.ts';
import type { StoredResponse } from './stored-response.rules.ts';

export interface KeyedRequest {
  /** Kind and ID of the caller. A key of one caller has no effect on the requests of other callers. */
  readonly caller: string;
  readonly key: string;
  /** The API key with which the request was sent, or null. Only resources of API keys are the records of their requests. */
  readonly apiKey: ApiKeyOfRequest | null;
  /** Returns the fingerprint of a repeated request. May read the body. */
  readonly fingerprint: () => Promise<string>;
  /** Returns the end of the token of the request's resource: a hash of the secret and the request. */
  readonly requestHash: (secret: string) => string;
  /** Returns the response of a request whose record is its resource. Null if the operation stores its response. */
  readonly restore: ((resource: RestoredResource) => StoredResponse) | null;
  /** Throws if the caller no longer has the right to create the resource of the stored response in this space. */
  readonly authorize: (spaceId: string, response: StoredResponse) => Promise<unknown>;
  /** `true` if the operation consists of one short transaction that stores its response; see `Idempotency`. */
  readonly isOneTransaction: boolean;
}

export interface ApiKeyOfRequest {
  readonly text: string;
  /** Space of the API key. */
  readonly spaceId: string;
}

/** The ID of a request, and the secret from which the token of its link is made if it is sent with an API key. */
export interface DerivedId extends RequestId {
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
  writes(fingerprint: string, response: StoredResponse, owner: ResponseOwner): readonly Write[];
  /** Stores the response of an operation that has already been committed. */
  store(fingerprint: string, response: StoredResponse, owner: ResponseOwner): Promise<void>;
}

export type Outcome<Result> =
  | { readonly isReplay: false; readonly response: Result }
  | { readonly isReplay: true; readonly response: StoredResponse };
