export interface ClientResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON body, or an empty object if the body is not JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Send {
  readonly method?: string;
  /** Session token or API key, sent as `Authorization: Bearer`. */
  readonly as?: string | undefined;
  /** Request body. Strings and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads only the first chunk of the response. Use this option for endless streams. */
  readonly untilFirst?: boolean;
}

export type Client = (path: string, send?: Send) => Promise<ClientResponse>;

export function clientOf(url: string): Client {
  return async (path, { method, as, body, headers, untilFirst = false } = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const payload: string | Uint8Array<ArrayBuffer> | undefined =
      body === undefined
        ? undefined
        : isRaw
          ? (body as string | Uint8Array<ArrayBuffer>)
          : JSON.stringify(body);
    const response = await fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
      redirect: 'manual',
    });
    const text = await (untilFirst ? firstChunk(response) : response.text());
    return { status: response.status, headers: response.headers, text, json: toJson(text) };
  };
}

async function firstChunk({ body }: Response): Promise<string> {
  for await (const chunk of body ?? []) return Buffer.from(chunk).toString();
  return '';
}

function toJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
