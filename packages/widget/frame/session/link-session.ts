import type { WidgetSession } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { LinkState } from '../../protocol/messages.ts';
import { type EndReason, exchange } from '../api/exchange.ts';

// The session of a link. It is only in memory, because browsers deny cookies and storage to framed pages.
//
//   exchanging ──200──▶ open ──before the session ends──▶ exchanging
//   exchanging ──400, 401, 410──▶ renewing ──new token──▶ exchanging
//                                 renewing ──no token──▶ ended
//   exchanging ──429, 5xx, offline──▶ waiting ──after a delay──▶ exchanging
//
// An open session stays visible in the other states until it expires.

/** The visible state of a link. */
export type LinkView =
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'open';
      readonly session: WidgetSession;
      /** Identifies the person, without secrets. It changes if the page sets a link of another person. */
      readonly person: string;
    }
  | { readonly kind: 'waiting'; readonly reason: 'offline' | 'busy' }
  | { readonly kind: 'ended'; readonly end: EndReason; readonly loginUrl: string | null };

/** Converts a view to a state of the protocol. */
export function stateOf(view: LinkView): LinkState {
  if (view.kind === 'ended') return view.end;
  return view.kind === 'open' ? 'open' : 'waiting';
}

/** Part of a session's lifetime after which it is renewed. */
const RENEW_AT = 0.8;
const MIN_BACKOFF_SECONDS = 2;
const MAX_BACKOFF_SECONDS = 60;
/** Also limits `Retry-After`, because a timer of more than 24 days fires immediately. */
const MAX_DELAY_SECONDS = 3600;

export class LinkSession {
  readonly view: Signal<LinkView> = signal<LinkView>({ kind: 'opening' });
  /** Reports whether the last request reached the service. */
  readonly isReached = signal(true);
  #linkToken: string;
  /** Requests another link of the same person from the page. Resolves to `null` if there is none. */
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

  /** Refreshes the session if that is due: timers stop while a computer sleeps. */
  refreshIfDue(): void {
    if (Date.now() >= this.#refreshAt) void this.refresh();
  }

  /** Refreshes the session now instead of later, unless the link has ended. */
  retryNow(): void {
    if (this.#refreshAt !== Number.POSITIVE_INFINITY) void this.refresh();
  }

  /** Returns the token of a current session, or `null` if none is available now. */
  async accessToken(): Promise<string | null> {
    if (Date.now() >= this.#expiresAt) await this.refresh();
    return Date.now() < this.#expiresAt ? (this.#session?.accessToken ?? null) : null;
  }

  /** Replaces a session whose token the service rejected. */
  async reject(accessToken: string): Promise<void> {
    if (this.#session?.accessToken === accessToken) await this.expire();
  }

  /** Marks the session as expired, because the service says so, and refreshes it. */
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
    this.isReached.value = outcome.kind !== 'retry' || outcome.reason !== 'offline';
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
    // Without a `sub`, two links may belong to different people. The start of a token is not secret.
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
