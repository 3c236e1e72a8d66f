import { AddressRefused } from './guarded-connect.ts';

/** By error code of the system, of its resolver, of OpenSSL and of undici. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  ENOTFOUND: 'its host name has no address',
  EAI_AGAIN: 'its host name could not be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'it could not be connected to in time',
  UND_ERR_CONNECT_TIMEOUT: 'it could not be connected to in time',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too large',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by nobody known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by nobody known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by nobody known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** What a failed request failed of. Messages of errors name addresses behind a host name, so none is shown. */
export function problemOf(error: unknown): string {
  for (const one of causes(error)) {
    if (one instanceof AddressRefused) return one.message;
    const words = WORDS[String((one as { code?: unknown }).code)];
    if (words !== undefined) return words;
  }
  if (error instanceof Error && error.name === 'HTTPParserError')
    return 'it answered something that is no HTTP';
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && /^ERR_(SSL|TLS)_/.test(code)) return 'TLS with it failed';
  return 'the request failed';
}

/** Several addresses that all failed are one error with one inside for each. */
function* causes(error: unknown): Generator<object> {
  if (typeof error !== 'object' || error === null) return;
  yield error;
  if (error instanceof AggregateError) for (const one of error.errors) yield* causes(one);
  if (error instanceof Error) yield* causes(error.cause);
}
