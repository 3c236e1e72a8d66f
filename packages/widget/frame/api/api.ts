import type { FailureName } from '../words/words.ts';

/** Why a request got no answer that is of use. */
export interface Failure {
  readonly name: FailureName;
  /** Whether the same may work when it is tried again. */
  readonly retriable: boolean;
  /** To wait before; null: no particular time. */
  readonly seconds: number | null;
}

/** Who gives tokens for requests, and hears when one is no longer taken. */
export interface Bearer {
  bearer(): Promise<string | null>;
  refused(accessToken: string): Promise<void>;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export const OFFLINE: Failure = { name: 'offline', retriable: true, seconds: null };

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

export function isFailure(value: object): value is Failure {
  return 'retriable' in value && 'name' in value;
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
      ...(signal === undefined ? {} : { signal }),
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
  const name =
    code === 'chat.too-many-turns'
      ? 'too-many-turns'
      : code === 'chat.turn-running'
        ? 'turn-running'
        : 'other';
  return { name, retriable: answer.status === 429 || answer.status >= 500, seconds };
}
