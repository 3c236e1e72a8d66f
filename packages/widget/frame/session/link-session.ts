import type { WidgetSession } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { LinkState } from '../../protocol/messages.ts';
import { type End, exchange } from '../api/exchange.ts';

// What becomes of a link. The session is in memory alone, so that it needs neither cookies nor
// storage, which browsers deny to framed pages.
//
//   asking ──200──▶ open ──before the session ends──▶ asking
//   asking ──410──▶ (a page that can give a new token) renewing ──token──▶ asking
//   asking ──401, 410──▶ over        renewing ──no token──▶ over
//   asking ──429, 5xx, no connection──▶ waiting ──later──▶ asking
//
// While it is asking again, renewing or waiting, what is open stays so until its session has ended.

/** What a person is to see of it. */
export type LinkView =
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'open';
      readonly session: WidgetSession;
      /** Whose talk it is, without secrets: another one after the page gave the link of somebody else. */
      readonly person: string;
    }
  | { readonly kind: 'waiting'; readonly reason: 'offline' | 'busy' }
  | { readonly kind: 'over'; readonly end: End; readonly loginUrl: string | null };

/** The same in the words of the protocol. */
export function stateOf(view: LinkView): LinkState {
  if (view.kind === 'over') return view.end;
  return view.kind === 'open' ? 'open' : 'waiting';
}

const RENEW_AT = 0.8;
const FIRST_WAIT_SECONDS = 2;
const LONGEST_WAIT_SECONDS = 60;
/** However long the service asks to wait; a timer of more than 24 days would ring at once. */
const LATEST_SECONDS = 3600;

export class LinkSession {
  readonly view: Signal<LinkView> = signal<LinkView>({ kind: 'opening' });
  /** Whether the last request reached the service. */
  readonly isReached = signal(true);
  #linkToken: string;
  /** Asks the page for another link of the same person; null: there is none. */
  readonly #renew: () => Promise<string | null>;
  #asking: Promise<void> | null = null;
  #session: WidgetSession | null = null;
  #sessionEnds = 0;
  #nextAsk = Number.POSITIVE_INFINITY;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(linkToken: string, renew: () => Promise<string | null>) {
    this.#linkToken = linkToken;
    this.#renew = renew;
  }

  /** Exchanges the link, unless that is under way. Resolves when it is known what came of it. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** Asks when it is time to: timers stop while a computer sleeps. */
  catchUp(): void {
    if (Date.now() >= this.#nextAsk) void this.ask();
  }

  /** The same at once, if it would ask at all: there may be a connection again. */
  tryNow(): void {
    if (this.#nextAsk !== Number.POSITIVE_INFINITY) void this.ask();
  }

  /** A token for a request, of a session that lives; null when there is none to be had now. */
  async bearer(): Promise<string | null> {
    if (Date.now() >= this.#sessionEnds) await this.ask();
    return Date.now() < this.#sessionEnds ? (this.#session?.accessToken ?? null) : null;
  }

  /** The service no longer takes the token that it was sent. */
  async refused(accessToken: string): Promise<void> {
    if (this.#session?.accessToken === accessToken) await this.lookAgain();
  }

  /** The session has ended, as the service says: asks what became of the link. */
  lookAgain(): Promise<void> {
    this.#sessionEnds = 0;
    return this.ask();
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    this.#nextAsk = Number.POSITIVE_INFINITY;
    let outcome = await exchange(this.#linkToken);
    if (outcome.kind === 'over') {
      const token = await this.#renew();
      if (token !== null && token !== this.#linkToken) {
        this.#linkToken = token;
        outcome = await exchange(token);
      }
    }
    this.isReached.value = outcome.kind !== 'later' || outcome.reason !== 'offline';
    switch (outcome.kind) {
      case 'session':
        return this.#enter(outcome.session);
      case 'over':
        this.#sessionEnds = 0;
        this.view.value = outcome;
        return;
      case 'later':
        this.#askIn(outcome.seconds ?? this.#backoff());
        if (Date.now() >= this.#sessionEnds)
          this.view.value = { kind: 'waiting', reason: outcome.reason };
    }
  }

  #enter(session: WidgetSession): void {
    this.#failures = 0;
    this.#session = session;
    this.#sessionEnds = Date.now() + session.expiresIn * 1000;
    this.#askIn(session.expiresIn * RENEW_AT);
    const { spaceId, sub } = session.jwtPayload;
    // Without a `sub` nothing says that two links are for the same person. How a token begins is no secret.
    const person = JSON.stringify(
      sub ? [spaceId, sub] : [spaceId, null, this.#linkToken.slice(0, 6)],
    );
    this.view.value = { kind: 'open', session, person };
  }

  #askIn(seconds: number): void {
    const milliseconds = Math.min(LATEST_SECONDS, Math.max(1, seconds)) * 1000;
    this.#nextAsk = Date.now() + milliseconds;
    this.#timer = setTimeout(() => void this.ask(), milliseconds);
  }

  /** Twice as long after each failure in a row. */
  #backoff(): number {
    this.#failures += 1;
    return Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (this.#failures - 1));
  }
}
