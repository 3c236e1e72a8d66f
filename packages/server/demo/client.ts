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
    const response = await fetch(baseUrl + path, init);
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
