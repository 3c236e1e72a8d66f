import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { selectorHashOf } from '../../http/index.ts';
import { atMost } from '../../lib/caching/index.ts';
import { pooledRandomBytes } from '../../lib/random/index.ts';

const TOKEN_BYTES = 32;
/** Number of bytes at the end of a token that are its cluster. */
const CLUSTER_BYTES = 3;
/** Number of tokens with the same cluster. A page of the unique index has about as many entries. */
const CLUSTER_TOKENS = 128;
/** Number of spaces whose clusters are remembered. The next token of another space starts a new cluster. */
const MAX_SPACES = 10_000;
const PREFIX_LENGTH = 6;

/**
 * Creates the tokens of links whose requests have no `Idempotency-Key`: 32 random bytes in base64url, 43 characters. Up to 128 consecutive
 * tokens of a space have the same last three bytes, the *cluster*. The stored hash starts with it, so these links are next to each other in the
 * unique index, and a group of new links changes one page of the index instead of one page per link. The other 232 bits are chosen for
 * each token. A space has clusters of its own, so its tokens reveal almost nothing about the links of other spaces.
 */
export class TokenSource {
  readonly #clusters = new LRUCache<string, { readonly bytes: Buffer; tokens: number }>(
    atMost(MAX_SPACES),
  );

  newToken(spaceId: string): string {
    const bytes = pooledRandomBytes(TOKEN_BYTES);
    let cluster = this.#clusters.get(spaceId);
    if (cluster === undefined || cluster.tokens === CLUSTER_TOKENS) {
      cluster = { bytes: Buffer.from(clusterOf(bytes)), tokens: 0 };
      this.#clusters.set(spaceId, cluster);
    }
    cluster.tokens += 1;
    cluster.bytes.copy(bytes, TOKEN_BYTES - CLUSTER_BYTES);
    return bytes.toString('base64url');
  }
}

function clusterOf(token: Buffer): Buffer {
  return token.subarray(TOKEN_BYTES - CLUSTER_BYTES, TOKEN_BYTES);
}

/**
 * Returns the stored hash of a random token: its cluster and its SHA-256, in hex. The hash needs no salt, because 232 bits cannot be guessed.
 *
 * @param token may be any text.
 */
export function hashOf(token: string): string {
  return clusterTextOf(token) + hash('sha256', token);
}

function clusterTextOf(token: string): string {
  return clusterOf(Buffer.from(token, 'base64url')).toString('hex');
}

/** Values of `token_hash` that the link with a token may have. */
export type PossibleHashes = {
  /** If the token is random. */
  readonly random: string;
  /** If the token is random, and an earlier release created it. Such tokens have no cluster. */
  readonly unclustered: string;
  /** If the token is derived from an `Idempotency-Key`. */
  readonly derived: string;
};

/** @param token may be any text. */
export function possibleHashesOf(token: string): PossibleHashes {
  const unclustered = hash('sha256', token);
  return {
    random: clusterTextOf(token) + unclustered,
    unclustered,
    derived: selectorHashOf(token),
  };
}

/** Returns the first characters of a token, which help users to recognise the token. */
export function prefixOf(token: string): string {
  return token.slice(0, PREFIX_LENGTH);
}
