/** What the service answered, when it was not what the demo needs. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

/** A small JSON client that sends what a reader could send with curl. */
export function createClient(baseUrl: string) {
  return async function send(
    method: string,
    path: string,
    credential: string | null,
    body?: string,
  ): Promise<Record<string, unknown>> {
    const headers = {
      ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const init = body === undefined ? { method, headers } : { method, headers, body };
    const response = await fetch(baseUrl + path, init);
    const text = await response.text();
    if (!response.ok)
      throw new UnexpectedAnswer(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
}

export type Client = ReturnType<typeof createClient>;
