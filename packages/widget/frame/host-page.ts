import { signal } from '@preact/signals';
import {
  type Context,
  type Mode,
  readMessage,
  seal,
  TO_FRAME,
  type ToFrame,
  type ToHost,
} from '../protocol/messages.ts';

/** As JSON: the service answers no question with more. */
const MAX_CONTEXT_LENGTH = 8000;
/** A page that renews a link has this long to get another one. */
const RENEW_PATIENCE_MS = 30_000;
/** A page that holds our loader speaks within this time. */
const GREETING_PATIENCE_MS = 1000;

/**
 * The page that embeds this one, if there is one and it holds our loader. What it says is taken from the
 * window that embeds us alone, and from an origin that the space allows, which then stays the same.
 */
export class Host {
  /** Null until the loader has said it, or where there is none. */
  readonly mode = signal<Mode | null>(null);
  readonly locale = signal<string | null>(null);
  readonly context = signal<Context | null>(null);
  /** Whether a person sees the frame, as far as the page tells. */
  readonly isShown = signal(true);
  readonly #origins: readonly string[];
  /** Resolves when the page has spoken, or is not going to. */
  readonly #greeting = Promise.withResolvers<void>();
  #origin: string | null = null;
  #canRenew = false;
  #onToken: ((token: string | null) => void) | null = null;

  /** @param origins that may embed this page. */
  constructor(origins: readonly string[]) {
    this.#origins = origins;
    if (window.parent === window) {
      this.#greeting.resolve();
      return;
    }
    setTimeout(this.#greeting.resolve, GREETING_PATIENCE_MS);
    window.addEventListener('message', (event) => this.#hear(event));
    // Nothing in it is secret, and whose page this is becomes known by the answer.
    window.parent.postMessage(seal({ type: 'ready' }), '*');
  }

  /**
   * The embedding page's origin or, before it has said anything, what the browser tells of it, which may be
   * nothing: null. Without such a page it is that of the frame.
   */
  get origin(): string | null {
    return this.#origin ?? (window.parent === window ? location.href : document.referrer || null);
  }

  tell(message: ToHost): void {
    if (this.#origin !== null) window.parent.postMessage(seal(message), this.#origin);
  }

  /** Asks the page for a link in place of one that has ended. Null when it has none. */
  async renew(): Promise<string | null> {
    await this.#greeting.promise;
    if (!this.#canRenew) return null;
    this.#onToken?.(null);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), RENEW_PATIENCE_MS);
      this.#onToken = (token) => {
        clearTimeout(timer);
        this.#onToken = null;
        resolve(token);
      };
      this.tell({ type: 'token-needed' });
    });
  }

  #hear(event: MessageEvent): void {
    if (event.source !== window.parent || !this.#isKnown(event.origin)) return;
    const message = readMessage<ToFrame>(event.data, TO_FRAME);
    if (message === null) return;
    this.#origin = event.origin;
    this.#understand(message);
  }

  #isKnown(origin: string): boolean {
    return this.#origin === null ? this.#origins.includes(origin) : origin === this.#origin;
  }

  #understand(message: ToFrame): void {
    switch (message.type) {
      case 'init':
        this.mode.value = message.mode;
        this.locale.value = message.locale;
        this.#take(message.context);
        this.#canRenew = message.canRenew;
        this.#greeting.resolve();
        return;
      case 'context':
        this.#take(message.context);
        return;
      case 'token':
        this.#onToken?.(message.token);
        return;
      case 'shown':
      case 'hidden':
        this.isShown.value = message.type === 'shown';
    }
  }

  /** Facts that are too long are left out, not questions. */
  #take(context: Context | null): void {
    const fits = JSON.stringify(context).length <= MAX_CONTEXT_LENGTH;
    this.context.value = fits ? context : null;
    if (!fits) console.error(`Gatehouse: context over ${MAX_CONTEXT_LENGTH} characters not used`);
  }
}
