import { type Failure, failureOf, OFFLINE } from './failure.ts';
import { patience } from './patience.ts';

/** Who gives tokens for requests, and hears when one is no longer taken. */
export interface Bearer {
  bearer(): Promise<string | null>;
  refused(accessToken: string): Promise<void>;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Without one it is given up after 20 s. */
  readonly signal?: AbortSignal;
}

/** Requests in the name of the person behind the link. */
export class Api {
  readonly #bearer: Bearer;

  constructor(bearer: Bearer) {
    this.#bearer = bearer;
  }

  /** The answer with a status from 200 to 299, or what went wrong. Throws only when `signal` aborts. */
  async send(call: Call): Promise<Response | Failure> {
    for (let attempt = 0; ; attempt += 1) {
      const token = await this.#bearer.bearer();
      call.signal?.throwIfAborted();
      if (token === null) return OFFLINE;
      const answer = await request(call, token);
      if (!(answer instanceof Response) || answer.ok) return answer;
      // The session may have ended while its link goes on.
      const isRefused = answer.status === 401 || answer.status === 410;
      if (isRefused) await this.#bearer.refused(token);
      if (!isRefused || attempt > 0) return toFailure(answer);
    }
  }

  /** The same for an answer that is JSON. */
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
      signal: signal ?? patience(),
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
