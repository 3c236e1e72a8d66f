import { type Failure, failureOf, OFFLINE } from './failure.ts';

const REQUEST_TIMEOUT_MS = 20_000;

export interface TokenSource {
  accessToken(): Promise<string | null>;
  reject(accessToken: string): Promise<void>;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Aborts the request. Default: a signal that aborts after 20 seconds. */
  readonly signal?: AbortSignal;
}

/** Sends requests with the access token of the link's session. */
export class Api {
  /** Source of the access tokens, for requests that `send` does not support. */
  readonly tokens: TokenSource;

  constructor(tokens: TokenSource) {
    this.tokens = tokens;
  }

  /** Returns a response with a 2xx status, or a failure. Throws only if `signal` aborts. */
  async send(call: Call): Promise<Response | Failure> {
    for (let attempt = 0; ; attempt += 1) {
      const token = await this.tokens.accessToken();
      call.signal?.throwIfAborted();
      if (token === null) return OFFLINE;
      const response = await request(call, token);
      if (!(response instanceof Response) || response.ok) return response;
      // A session can expire before the link expires, so retry once with a new session.
      const isRejected = response.status === 401 || response.status === 410;
      if (isRejected) await this.tokens.reject(token);
      if (!isRejected || attempt > 0) return toFailure(response);
    }
  }

  async read<T>(call: Call): Promise<T | Failure> {
    const response = await this.send(call);
    if (!(response instanceof Response)) return response;
    try {
      return (await response.json()) as T;
    } catch {
      return OFFLINE;
    }
  }
}

async function request(call: Call, token: string): Promise<Response | Failure> {
  const { method, path, body, signal } = call;
  try {
    return await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ?? requestTimeout(),
      credentials: 'omit',
    });
  } catch {
    signal?.throwIfAborted();
    return OFFLINE;
  }
}

async function toFailure(response: Response): Promise<Failure> {
  const seconds = Number(response.headers.get('retry-after')) || null;
  const { code } = (await response.json().catch(() => ({}))) as { code?: unknown };
  const isBusy = response.status === 429 || response.status === 503;
  const retriable = isBusy || response.status >= 500;
  return failureOf(code, retriable, seconds, isBusy ? 'answer-overloaded' : undefined);
}

/** Returns a signal that aborts after 20 seconds. Browsers can take minutes to detect a lost connection. */
export function requestTimeout(): AbortSignal {
  const timeout = new AbortController();
  setTimeout(() => timeout.abort(), REQUEST_TIMEOUT_MS);
  return timeout.signal;
}
