/** A credential, or a function that returns it. The function is called before each attempt. */
export type Credential = string | (() => string | Promise<string>);

export interface GatehouseOptions {
  /** Base URL of the service, such as `https://gate.example`. */
  readonly url: string;
  /** API key of a space. Never use it in a browser. */
  readonly apiKey?: Credential | undefined;
  /** Session of a user (`auth.signIn`) or access token of a widget session (`links.exchange`). */
  readonly token?: Credential | undefined;
  /** ID of the space that operations use if their options do not name one. */
  readonly spaceId?: string | undefined;
  /** Timeout of each attempt in milliseconds, from the request to the end of the response. `0`: none. Default 60,000. */
  readonly timeout?: number | undefined;
  /** Maximum number of retries after the first attempt. Default 2. */
  readonly maxRetries?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Receives one entry per attempt, response, failure and retry. Entries contain no credential, body or URL. */
  readonly log?: ((entry: LogEntry) => void) | undefined;
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface RequestOptions {
  /** Cancels the request. The promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of each attempt in milliseconds. `0`: none. */
  readonly timeout?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** ID of the space. Default: `spaceId` of the client. */
  readonly spaceId?: string | undefined;
}

export interface CreateOptions extends RequestOptions {
  /**
   * Identifies the creation: the service returns the first response again if the same request repeats the key within 24
   * hours. Default: a random key per call, so that retries of the client create nothing twice.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface UploadOptions extends CreateOptions {
  /** Receives the number of bytes that were passed to the network. A retry starts again at 0. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

export interface UploadProgress {
  /** Sent bytes of the file. */
  readonly loaded: number;
  /** Size of the file in bytes. `undefined` for a stream. */
  readonly total: number | undefined;
}

export interface StreamOptions extends RequestOptions {
  /** Maximum time without bytes in milliseconds. The service sends a heartbeat every 15 seconds. Default 45,000. */
  readonly idleTimeout?: number | undefined;
  /** Called each time the stream is connected. */
  readonly onConnect?: (() => void) | undefined;
  /**
   * Called each time a connection ends or fails and the stream will reconnect. `error` is `undefined` if the service closed the
   * stream.
   */
  readonly onDisconnect?: ((error: unknown) => void) | undefined;
}

/** An entry for a log. `route` is the template of the operation, such as `GET /assistant-link/{linkId}`. */
export type LogEntry = LogContext &
  (
    | { readonly event: 'request' }
    | {
        readonly event: 'response';
        readonly status: number;
        readonly requestId: string | undefined;
        readonly durationMs: number;
      }
    /** `error` is the name of the error class. */
    | { readonly event: 'failure'; readonly error: string; readonly durationMs: number }
    | { readonly event: 'retry'; readonly delayMs: number }
  );

export interface LogContext {
  readonly route: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}
