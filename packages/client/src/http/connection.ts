import type { ListRoute, PageOf, ResponseOf, Route } from '../api.ts';
import { ConnectionError, GatehouseError, InvalidResponseError, TimeoutError } from '../errors.ts';
import type { CreateOptions, Credential, GatehouseOptions, LogEntry } from '../options.ts';
import type { Content, Input } from './input.ts';
import { List } from './list.ts';
import { fillPath, type Segment, toQuery } from './path.ts';
import { randomKey } from './random-key.ts';
import { retryDelay, sleep } from './retry.ts';
import { startTimer } from './timer.ts';
import { toError } from './to-error.ts';

const TIMEOUT_MS = 60_000;
const MAX_RETRIES = 2;

/** Sends requests with the credential, timeouts and retries of a client. */
export class Connection {
  readonly #options: GatehouseOptions;
  readonly #base: string;

  constructor(options: GatehouseOptions) {
    const { protocol, username, password, origin, pathname } = new URL(options.url);
    if (!/^https?:$/.test(protocol) || username + password !== '')
      throw new TypeError('url must be an http or https URL without credentials');
    this.#options = options;
    this.#base = origin + pathname.replace(/\/+$/, '');
  }

  get maxRetries(): number {
    return this.#options.maxRetries ?? MAX_RETRIES;
  }

  get hasGlobalFetch(): boolean {
    return this.#options.fetch === undefined;
  }

  /** Sends a request and parses the JSON of the response. */
  send<R extends Route>(
    route: R,
    input: Input<R> = {},
    options?: CreateOptions,
  ): Promise<ResponseOf<R>> {
    return this.#request(route, input, options, async (response) => {
      const text = await response.text();
      try {
        return response.status === 204 ? undefined : JSON.parse(text);
      } catch {
        throw new InvalidResponseError(
          `The response to ${nameOf(route)} is not JSON. Check the URL of the service.`,
        );
      }
    });
  }

  /** Sends a request and returns the text of the response. */
  text<R extends Route>(route: R, input: Input<R>, options?: CreateOptions): Promise<string> {
    return this.#request(route, input, options, (response) => response.text());
  }

  /** Sends a request and returns the response when its headers have arrived. The timeout does not cover the body. */
  open<R extends Route>(
    route: R,
    input: Input<R> = {},
    options?: CreateOptions,
  ): Promise<Response> {
    return this.#request(route, input, options);
  }

  /** Returns a list that sends requests when it is awaited or iterated. */
  list<R extends ListRoute>(
    route: R,
    input: Input<R> = {},
    options?: CreateOptions,
  ): List<PageOf<R>> {
    return new List(async (after) => {
      const query = after === undefined ? input.query : { ...(input.query as object), after };
      return (await this.send(route, { ...input, query } as Input<R>, options)) as PageOf<R>;
    });
  }

  /** Returns the absolute URL of a route. */
  url(route: string, input: Input<Route> = {}, spaceId?: string): string {
    const template = route.slice(route.indexOf(' ') + 1);
    const params = [...((input.params ?? []) as readonly Segment[])];
    const path = fillPath(template, (name) =>
      name === 'spaceId' && !template.endsWith(`{${name}}`) ? this.#space(spaceId) : params.shift(),
    );
    return this.#base + path + toQuery(input.query);
  }

  /** Adds the space of the options or of the client to a query or body that names no space. */
  inSpace<T extends { readonly spaceId?: string | undefined }>(
    given?: T,
    options?: CreateOptions,
  ): T {
    const spaceId = given?.spaceId ?? options?.spaceId ?? this.#options.spaceId;
    return { ...given, ...(spaceId === undefined ? {} : { spaceId }) } as T;
  }

  #space(spaceId = this.#options.spaceId): string {
    if (spaceId === undefined)
      throw new TypeError('spaceId is missing: pass it to new Gatehouse() or in the options');
    return spaceId;
  }

  /** Sends a request with retries. Without `read`, the result is the response with an unread body. */
  async #request<R extends Route, T = Response>(
    route: R,
    input: Input<R>,
    options: CreateOptions = {},
    read?: (response: Response) => Promise<T>,
  ): Promise<T> {
    const url = this.url(route, input as Input<Route>, options.spaceId);
    const [verb = ''] = route.split(' ', 1);
    const method = verb.replace('!', '');
    const creates = method !== verb;
    const safe = creates || input.safe === true || /^(GET|PUT|DELETE)$/.test(method);
    const retries =
      safe && input.content?.once !== true ? (options.maxRetries ?? this.maxRetries) : 0;
    const key = creates ? { 'idempotency-key': options.idempotencyKey ?? randomKey() } : {};
    const { fetch = this.#options.fetch ?? globalThis.fetch } = input.content ?? {};
    for (let number = 1; ; number++) {
      const context = { route: nameOf(route), attempt: number };
      const startedAt = Date.now();
      const duration = () => ({ durationMs: Date.now() - startedAt });
      try {
        return await attempt<T>({
          timeout: options.timeout ?? input.timeout ?? this.#options.timeout ?? TIMEOUT_MS,
          signal: options.signal,
          streams: read === undefined,
          prepare: async () => {
            const { headers, ...body } = input.content?.init() ?? toJson(input.body);
            const all = {
              ...headers,
              ...key,
              ...input.headers,
              // The service ignores a signature if the request has another credential.
              ...(await (input.sign?.(String(body.body)) ?? this.#authorization())),
            };
            return { ...body, method, headers: all, redirect: 'manual' };
          },
          fetch: (init) => {
            this.#log({ ...context, event: 'request' });
            return fetch(url, init);
          },
          read: read ?? (async (response) => response as T),
          onResponse: ({ status, headers }) => {
            const requestId = headers.get('x-request-id') ?? undefined;
            this.#log({ ...context, event: 'response', status, requestId, ...duration() });
          },
        });
      } catch (error) {
        const name = error instanceof Error ? error.name : typeof error;
        this.#log({ ...context, event: 'failure', error: name, ...duration() });
        const delayMs = number <= retries ? retryDelay(error, number) : undefined;
        if (delayMs === undefined) throw error;
        this.#log({ ...context, event: 'retry', delayMs });
        await sleep(delayMs, options.signal);
      }
    }
  }

  async #authorization(): Promise<Record<string, string>> {
    const credential = await resolveCredential(this.#options.apiKey ?? this.#options.token);
    if (credential === undefined) return {};
    // The error of `fetch` for an invalid header would contain the credential.
    if (!/^[!-~]+$/.test(credential))
      throw new TypeError('the credential is empty or not a valid header value');
    return { authorization: `Bearer ${credential}` };
  }

  /** Passes an entry to the hook. An error of the hook does not affect the request. */
  #log(entry: LogEntry): void {
    try {
      this.#options.log?.(entry);
    } catch {}
  }
}

/** Returns the name of a route for messages: without the mark of a creation. */
function nameOf(route: Route): string {
  return route.replace('!', '');
}

function resolveCredential(
  credential: Credential | undefined,
): string | Promise<string> | undefined {
  return typeof credential === 'function' ? credential() : credential;
}

function toJson(body: unknown): Partial<ReturnType<Content['init']>> {
  if (body === undefined) return {};
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

interface Attempt<T> {
  /** Timeout in milliseconds until `read` has finished. `0`: none. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** `true`: `signal` also cancels the body of the response, which is read after the attempt. */
  readonly streams: boolean;
  /** Creates the request. Its errors are thrown unchanged. */
  readonly prepare: () => Promise<RequestInit>;
  readonly fetch: (init: RequestInit) => Promise<Response>;
  readonly read: (response: Response) => Promise<T>;
  /** Called when the headers of a response have arrived. */
  readonly onResponse: (response: Response) => void;
}

/** Sends one request. Throws an `ApiError` for an unsuccessful status, and the reason of the signal if it is aborted. */
async function attempt<T>(options: Attempt<T>): Promise<T> {
  const { timeout, signal, streams, prepare, fetch, read, onResponse } = options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cancel = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', cancel);
  const timer =
    timeout > 0
      ? startTimer(() => {
          controller.abort(new TimeoutError(`No complete response within ${timeout} ms.`));
        }, timeout)
      : undefined;
  let isSent = false;
  try {
    // A credential function may wait without end. The `catch` below throws the reason of the signal.
    const aborted = new Promise<never>((_, reject) => {
      controller.signal.onabort = reject;
    });
    const init = await Promise.race([prepare(), aborted]);
    isSent = true;
    const response = await fetch({
      ...init,
      signal: streams && signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
    });
    onResponse(response);
    if (!response.ok) throw await toError(response);
    return await read(response);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    if (!isSent || error instanceof GatehouseError) throw error;
    throw new ConnectionError('The connection failed before a complete response arrived.', {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
