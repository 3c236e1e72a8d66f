/** Sends requests to addresses that users of the service chose, and only to such as it may. */
export interface WebhookSender {
  /**
   * Why nothing can ever be sent to this URL, in words that follow "url: "; null when something may. A host
   * that is a name is judged by its addresses, each time when it is connected to.
   */
  refusalOf(url: string): string | null;
  /** @param url one that `refusalOf` does not refuse. */
  open(url: string): WebhookTarget;
}

/** A URL with the connections to it, which are kept for the next message. */
export interface WebhookTarget {
  /** Sends a message by POST once, over one more connection where all are busy. Never rejects. */
  post(message: WebhookMessage): Promise<WebhookOutcome>;
  /** Breaks off what is under way; its outcome is that there was no answer. */
  close(): void;
}

export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type WebhookOutcome =
  /** Redirects are not followed: their status is what was answered. */
  | { readonly answered: true; readonly status: number; readonly retryAfter: string | null }
  /** `problem`: what went wrong, in a few words that show nothing of the message or of inner addresses. */
  | { readonly answered: false; readonly problem: string };
