/** Sends requests to URLs that users choose, but connects only to permitted addresses. `createWebhookSender` implements it. */
export interface ToolSender {
  /** Returns the problem with a URL, to be shown after "url: ", or `null` if the URL is permitted. */
  refusalOf(url: string): string | null;
  /** @param spaceId the space whose users chose the URL. */
  open(url: string, spaceId: string): ToolTarget;
}

export interface ToolTarget {
  /** Never rejects. Redirects are not followed. */
  post(message: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  }): Promise<ToolOutcome>;
  /** Aborts the request in flight. */
  close(): void;
}

export type ToolOutcome =
  | {
      readonly answered: true;
      readonly status: number;
      /** The start of the body. Absent if there was none. */
      readonly body?: { readonly bytes: Uint8Array; readonly isCut: boolean };
    }
  | { readonly answered: false; readonly problem: string };

/** Limits of one call. A longer result is cut, and a slower call fails. */
export const TOOL_LIMITS = {
  attemptMs: 10_000,
  connectMs: 5000,
  keptBytes: 16 * 1024,
  responseBytes: 64 * 1024,
} as const;
