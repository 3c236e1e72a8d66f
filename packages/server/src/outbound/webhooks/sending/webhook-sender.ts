/**
 * Sends requests to URLs that users choose, but connects only to permitted addresses.
 *
 * @example
 * const target = sender.open('https://shop.example/hooks', spaceId);
 * const outcome = await target.post({ headers: { 'content-type': 'application/json' }, body });
 * if (outcome.answered) console.log(outcome.status);
 * target.close();
 */
export interface WebhookSender {
  /**
   * Returns the problem with a URL, to be shown after "url: ", or `null` if the URL is permitted. Host names are not
   * resolved here. Their addresses are checked for every connection.
   */
  refusalOf(url: string): string | null;
  /**
   * @param url a URL for which `refusalOf` returns `null`.
   * @param spaceId the space whose users chose the URL.
   */
  open(url: string, spaceId: string): WebhookTarget;
}

export interface WebhookTarget {
  /** Sends a POST request. Opens a new connection if all open connections are busy. Never rejects. */
  post(message: WebhookMessage): Promise<WebhookOutcome>;
  /** Aborts requests in flight. Their outcome has `answered: false`. */
  close(): void;
}

export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type WebhookOutcome =
  /** Redirects are not followed, so `status` may be a redirect status. */
  | {
      readonly answered: true;
      readonly status: number;
      readonly retryAfter: string | null;
      /** Absent if the response had no body. */
      readonly body?: ResponseStart;
    }
  /** `problem` contains neither event data nor internal addresses. */
  | { readonly answered: false; readonly problem: string };

export interface ResponseStart {
  /** The first bytes of the body, at most `SendLimits.keptBytes`. */
  readonly bytes: Uint8Array;
  /** `true` if the body has more bytes, or may have more because it was not read to its end. */
  readonly isCut: boolean;
}

/** Default of `SendLimits.keptBytes`. */
export const KEPT_BYTES = 2048;
