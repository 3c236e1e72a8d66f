import type { WidgetSession } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { LinkState } from '../../protocol/messages.ts';
import { requestTimeout } from '../api/api.ts';
import { takeEarlyResponse } from '../early.ts';

// The session of a link. The session exists only in memory, because browsers can deny cookies and storage to frames.
//
//   exchanging ──200──▶ open ──before the session ends──▶ exchanging
//   exchanging ──400, 401, 410──▶ renewing ──new token──▶ exchanging
//                                 renewing ──no token, or a rejected one──▶ ended
//   exchanging ──429, 5xx, offline──▶ waiting ──after a delay──▶ exchanging
//
// An open session remains visible while another one is exchanged, renewed or waited for, until the open session expires.

/** The state of a link, as shown to the user. */
export type LinkView =
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'open';
      readonly session: WidgetSession;
      /** Identifies the person who uses the link. Contains no secrets. */
      readonly person: string;
    }
  | { readonly kind: 'waiting'; readonly reason: 'offline' | 'busy' }
  | { readonly kind: 'ended'; readonly end: EndReason; readonly loginUrl: string | null };

/** Converts a view to a link state of the messaging protocol. */
export function stateOf(view: LinkView): LinkState {
  if (view.kind === 'ended') return view.end;
  return view.kind === 'open' ? 'open' : 'waiting';
}

/** Fraction of a session's lifetime after which the session is renewed. */
const RENEW_AT = 0.8;
const MIN_BACKOFF_SECONDS = 2;
const MAX_BACKOFF_SECONDS = 60;
/** Maximum delay before a refresh. Timers of more than 24 days fire immediately, so this also limits `Retry-After`. */
const MAX_DELAY_SECONDS = 3600;

export class LinkSession {
  readonly view: Signal<LinkView> = signal<LinkView>({ kind: 'opening' });
  /** `false` if the last exchange did not reach the service, or the browser is offline. */
  readonly isReachable = signal(true);
  #linkToken: string;
  /** Requests a new link token from the page. Resolves to `null` if the page cannot provide a token. */
  readonly #renew: () => Promise<string | null>;
  #refreshing: Promise<void> | null = null;
  #session: WidgetSession | null = null;
  #expiresAt = 0;
  #refreshAt = Number.POSITIVE_INFINITY;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(linkToken: string, renew: () => Promise<string | null>) {
    this.#linkToken = linkToken;
    this.#renew = renew;
  }

  /** Exchanges the link for a session. Concurrent calls share one exchange. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Refreshes the session if a refresh is overdue. Timers stop while a computer sleeps. */
  refreshIfDue(): void {
    if (Date.now() >= this.#refreshAt) void this.refresh();
  }

  /** Performs a scheduled refresh immediately. Does nothing if no refresh is scheduled. */
  retryNow(): void {
    if (this.#refreshAt !== Number.POSITIVE_INFINITY) void this.refresh();
  }

  /** Returns a valid access token, or `null` if no token is available at the moment. */
  async accessToken(): Promise<string | null> {
    if (Date.now() >= this.#expiresAt) await this.refresh();
    return Date.now() < this.#expiresAt ? (this.#session?.accessToken ?? null) : null;
  }

  /** Replaces the session after the service has rejected its token. */
  async reject(accessToken: string): Promise<void> {
    if (this.#session?.accessToken === accessToken) await this.expire();
  }

  /** Marks the session as expired and refreshes it. */
  expire(): Promise<void> {
    this.#expiresAt = 0;
    return this.refresh();
  }

  async #refresh(): Promise<void> {
    clearTimeout(this.#timer);
    this.#refreshAt = Number.POSITIVE_INFINITY;
    let outcome = await exchange(this.#linkToken);
    if (outcome.kind === 'ended') {
      const token = await this.#renew();
      if (token !== null && token !== this.#linkToken) {
        this.#linkToken = token;
        outcome = await exchange(token);
      }
    }
    this.isReachable.value = outcome.kind !== 'retry' || outcome.reason !== 'offline';
    switch (outcome.kind) {
      case 'session':
        return this.#open(outcome.session);
      case 'ended':
        this.#expiresAt = 0;
        this.view.value = outcome;
        return;
      case 'retry':
        this.#schedule(outcome.seconds ?? this.#backoff());
        if (Date.now() >= this.#expiresAt)
          this.view.value = { kind: 'waiting', reason: outcome.reason };
    }
  }

  #open(session: WidgetSession): void {
    this.#failures = 0;
    this.#session = session;
    this.#expiresAt = Date.now() + session.expiresIn * 1000;
    this.#schedule(session.expiresIn * RENEW_AT);
    const { spaceId, sub } = session.jwtPayload;
    // Without a `sub`, two links may belong to different people. The first characters of a token are not secret.
    const person = JSON.stringify(
      sub ? [spaceId, sub] : [spaceId, null, this.#linkToken.slice(0, 6)],
    );
    this.view.value = { kind: 'open', session, person };
  }

  #schedule(seconds: number): void {
    const milliseconds = Math.min(MAX_DELAY_SECONDS, Math.max(1, seconds)) * 1000;
    this.#refreshAt = Date.now() + milliseconds;
    this.#timer = setTimeout(() => void this.refresh(), milliseconds);
  }

  /** Returns a delay in seconds that doubles with each consecutive failure. */
  #backoff(): number {
    this.#failures += 1;
    return Math.min(MAX_BACKOFF_SECONDS, MIN_BACKOFF_SECONDS * 2 ** (this.#failures - 1));
  }
}

type EndReason = 'expired' | 'revoked' | 'unknown';

type Exchange =
  | { readonly kind: 'session'; readonly session: WidgetSession }
  | { readonly kind: 'ended'; readonly end: EndReason; readonly loginUrl: string | null }
  | {
      readonly kind: 'retry';
      readonly reason: 'offline' | 'busy';
      /** `Retry-After` in seconds, or `null` if the service sent no such header. */
      readonly seconds: number | null;
    };

/**
 * Exchanges a link token for a widget session. The first call uses the exchange that the page has started with the token
 * of its URL. Never throws.
 */
async function exchange(linkToken: string): Promise<Exchange> {
  try {
    const response = await (takeEarlyResponse() ?? send(linkToken));
    const seconds = Number(response.headers.get('retry-after')) || null;
    return toExchange(response.status, await response.json(), seconds);
  } catch {
    return { kind: 'retry', reason: 'offline', seconds: null };
  }
}

function send(linkToken: string): Promise<Response> {
  return fetch('/assistant-link/exchange', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ linkToken }),
    credentials: 'omit',
    signal: requestTimeout(),
  });
}

function toExchange(status: number, body: unknown, seconds: number | null): Exchange {
  switch (status) {
    case 200:
      return { kind: 'session', session: body as WidgetSession };
    case 410: {
      const { code, loginUrl } = body as { code?: unknown; loginUrl?: unknown };
      const end = code === 'links.revoked' ? 'revoked' : 'expired';
      return { kind: 'ended', end, loginUrl: typeof loginUrl === 'string' ? loginUrl : null };
    }
    case 400:
    case 401:
      return { kind: 'ended', end: 'unknown', loginUrl: null };
    default:
      return { kind: 'retry', reason: 'busy', seconds };
  }
}
