import type { Route } from '../api.ts';
import type { GatehouseOptions, RequestOptions } from '../options.ts';
import { Connection } from './connection.ts';

/** A request to any path of the service. */
export interface AnyRequest {
  readonly method: string;
  /** Path, which starts with a slash, and query. Without placeholders, such as `/spaces?limit=1`. */
  readonly path: string;
  /** Headers besides the credential. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData | undefined;
}

/**
 * Sends a request that is known only at run time, with the credential, the timeouts, the retries and the errors of a client. Prefer the
 * methods of `Gatehouse`, which check types. `GET`, `PUT` and `DELETE` are repeated after failures.
 *
 * @returns the response. The timeout does not cover its body.
 * @example
 * const response = await sendRequest({ url, token }, { method: 'GET', path: '/spaces?limit=1' });
 * console.log(await response.text());
 */
export async function sendRequest(
  client: Omit<GatehouseOptions, 'log' | 'spaceId'>,
  { method, path, headers, body }: AnyRequest,
  options?: Omit<RequestOptions, 'spaceId'>,
): Promise<Response> {
  // The path follows the host of the URL, so `.other.example/` would send the credential to another host.
  if (!path.startsWith('/')) throw new TypeError('path must start with /');
  const content =
    body === undefined ? undefined : { init: () => ({ headers: {}, body }), once: false };
  return new Connection(client).open(`${method} ${path}` as Route, { headers, content }, options);
}
