/** Sends requests to URLs that users chose, but only to permitted addresses. */
export interface WebhookSender {
  /**
   * Returns why a URL can never be sent to, as text that follows "url: "; null if it can. A host name is not looked up
   * here: its addresses are checked at each connection.
   */
  refusalOf(url: string): string | null;
  /** @param url accepted by `refusalOf`. */
  open(url: string): WebhookTarget;
}

/** A URL with a pool of connections. */
export interface WebhookTarget {
  /** Sends a message by one POST request, over a new connection if all others are busy. Never rejects. */
  post(message: WebhookMessage): Promise<WebhookOutcome>;
  /** Aborts requests in flight; their outcome is that there was no answer. */
  close(): void;
}

export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type WebhookOutcome =
  /** Redirects are not followed: theirs is the status. */
  | { readonly answered: true; readonly status: number; readonly retryAfter: string | null }
  /** `problem` contains neither event data nor internal addresses. */
  | { readonly answered: false; readonly problem: string };
