import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum number of times that a request is sent while the service is overloaded, for example on a slow machine. */
const MAX_ATTEMPTS = 10;

export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Creates a JSON client that uses only the public API. You can send the same requests with curl. */
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
    let response = await fetch(baseUrl + path, init);
    for (let attempt = 1; response.status === 503 && attempt < MAX_ATTEMPTS; attempt += 1) {
      await sleep(1000 * Number(response.headers.get('retry-after') ?? 1));
      response = await fetch(baseUrl + path, init);
    }
    const text = await response.text();
    if (!response.ok)
      throw new UnexpectedAnswer(
        `${method} ${path} returned ${response.status}: ${text}`,
        response.status,
      );
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
}

export type Client = ReturnType<typeof createClient>;
