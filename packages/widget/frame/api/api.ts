import { type Failure, failureOf, OFFLINE } from './failure.ts';

const REQUEST_TIMEOUT_MS = 20_000;

/** The source of access tokens. */
export interface TokenSource {
  accessToken(): Promise<string | null>;
  /** Called when the service rejects a token. */
  reject(accessToken: string): Promise<void>;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Default: a timeout of 20 s. */
  readonly signal?: AbortSignal;
}

/** Requests with the access token of the link's session. */
export class Api {
  readonly #tokens: TokenSource;

  constructor(tokens: TokenSource) {
    this.#tokens = tokens;
  }

  /** Returns a response with status 200 to 299, or a failure. Throws only if `signal` aborts. */
  async send(call: Call): Promise<Response | Failure> {
    for (let attempt = 0; ; attempt += 1) {
      const token = await this.#tokens.accessToken();
      call.signal?.throwIfAborted();
      if (token === null) return OFFLINE;
      const answer = await request(call, token);
      if (!(answer instanceof Response) || answer.ok) return answer;
      // The session can end before its link does, so retry once with a new session.
      const isRefused = answer.status === 401 || answer.status === 410;
      if (isRefused) await this.#tokens.reject(token);
      if (!isRefused || attempt > 0) return toFailure(answer);
    }
  }

  /** Sends a request and parses the response as JSON. */
  async read<T>(call: Call): Promise<T | Failure> {
    const answer = await this.send(call);
    if (!(answer instanceof Response)) return answer;
    try {
      return (await answer.json()) as T;
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

async function toFailure(answer: Response): Promise<Failure> {
  const seconds = Number(answer.headers.get('retry-after')) || null;
  const { code } = (await answer.json().catch(() => ({}))) as { code?: unknown };
  const isBusy = answer.status === 429 || answer.status === 503;
  const retriable = isBusy || answer.status >= 500;
  return failureOf(code, retriable, seconds, isBusy ? 'answer-overloaded' : undefined);
}

/** Returns a signal that aborts after 20 s, because a lost connection can stay silent for minutes. */
export function requestTimeout(): AbortSignal {
  const timeout = new AbortController();
  setTimeout(() => timeout.abort(), REQUEST_TIMEOUT_MS);
  return timeout.signal;
}
