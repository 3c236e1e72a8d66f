import type { Sealer } from '../../platform/secrets/index.ts';

/** The response to the first request with a key. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the response has no body. */
  readonly text: string | null;
}

/** The response together with the fingerprint of its request. */
export interface StoredExchange {
  readonly fingerprint: string;
  readonly answer: StoredAnswer;
}

/** Encrypts an exchange, because responses contain secrets and requests contain personal data. */
export function sealExchange(sealer: Sealer, exchange: StoredExchange, context: string): string {
  return sealer.seal(JSON.stringify(exchange), context);
}

/** Throws if the exchange was altered. */
export function openExchange(sealer: Sealer, sealed: string, context: string): StoredExchange {
  const json = sealer.open(sealed, context);
  if (json === null) throw new Error('a stored idempotent response cannot be decrypted');
  return JSON.parse(json) as StoredExchange;
}
