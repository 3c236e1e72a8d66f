import type { Sealer } from '../../platform/secrets/index.ts';

/** The response to the first request with a key. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the response has no body. */
  readonly text: string | null;
}

/** The response together with the fingerprint of its request. */
export interface StoredExchange {
  readonly fingerprint: string;
  readonly response: StoredResponse;
}

/**
 * Encrypts an exchange, because responses contain secrets and requests contain personal data. The text of the response is not
 * nested into JSON, because escaping it would take longer than the encryption.
 */
export function sealExchange(sealer: Sealer, exchange: StoredExchange, context: string): string {
  const { fingerprint, response } = exchange;
  const { status, headers, text } = response;
  const head = JSON.stringify({ fingerprint, status, headers, hasText: text !== null });
  return sealer.seal(`${head}\n${text ?? ''}`, context);
}

/** Throws if the exchange was altered. */
export function openExchange(sealer: Sealer, sealed: string, context: string): StoredExchange {
  const opened = sealer.open(sealed, context);
  if (opened === null) throw new Error('a stored idempotent response cannot be decrypted');
  const headEnd = opened.indexOf('\n');
  const { fingerprint, status, headers, hasText } = JSON.parse(opened.slice(0, headEnd)) as Head;
  const text = hasText ? opened.slice(headEnd + 1) : null;
  return { fingerprint, response: { status, headers, text } };
}

interface Head extends Omit<StoredResponse, 'text'> {
  readonly fingerprint: string;
  readonly hasText: boolean;
}
