/** Maximum milliseconds of a request to the provider, including the body of the response. */
export const REQUEST_TIMEOUT_MS = 5000;
/** Maximum size of a response in bytes, after decompression. */
export const MAX_RESPONSE_BYTES = 1024 * 1024;

/** The provider did not send a usable response. The message contains no data of the provider. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
}

export interface BoundedRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: RequestInit['body'] | undefined;
}

/**
 * Sends a request to the provider and reads the whole response. Redirects are not followed, because a redirect would send the
 * client secret or an authorization code to another server. Throws `ProviderUnreachable` for redirects, timeouts, large
 * responses and network errors.
 */
export async function boundedFetch(
  url: string,
  { method, headers, body = null }: BoundedRequest,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { method, headers, body, redirect: 'manual', signal });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new ProviderUnreachable('the provider sent a redirect');
    }
    const bytes = await readAtMost(response, MAX_RESPONSE_BYTES);
    return new Response(bytes.byteLength === 0 ? null : bytes, {
      status: response.status,
      headers: response.headers,
    });
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw error;
    throw new ProviderUnreachable(reasonOf(error, signal), { cause: error });
  }
}

async function readAtMost({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (bytes > maxBytes)
      throw new ProviderUnreachable(`the response has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'the provider did not respond in time';
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' && /^\w{1,64}$/.test(cause.code)
    ? `the connection failed (${cause.code})`
    : 'the connection failed';
}
