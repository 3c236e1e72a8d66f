import { signal } from '@preact/signals';
import {
  type Context,
  EMBEDDED_HASH,
  type Mode,
  type OfferedTool,
  readMessage,
  seal,
  TO_FRAME,
  type ToFrame,
  type ToHost,
  type ToolResultMessage,
} from '../protocol/messages.ts';

/** Maximum length of the context as JSON, in UTF-16 code units. The service rejects a longer context. */
const MAX_CONTEXT_LENGTH = 8000;
const RENEW_TIMEOUT_MS = 30_000;
/** Maximum time to wait for `init` from a page that runs the loader, and from a page that may not run the loader. */
const INIT_TIMEOUT_MS = 10_000;
const INIT_TIMEOUT_WITHOUT_LOADER_MS = 1000;

/** Messages that the host page handles. `PageCalls` handles the results of tools. */
type Handled = Exclude<ToFrame, ToolResultMessage>;
type Theme = Pick<Extract<ToFrame, { type: 'theme' }>, 'chosen' | 'page'>;
type PageQuestion = Pick<Extract<ToFrame, { type: 'ask' }>, 'text' | 'send'>;

/**
 * The connection to the embedding page. Accepts messages only from the parent window, and only from an origin that the
 * space allows. After the first message, accepts only messages from the origin of that message. No messages arrive if
 * there is no embedding page or if the page does not run the loader.
 */
export class HostPage {
  /** `null` until the loader sends `init`. */
  readonly mode = signal<Mode | null>(null);
  readonly locale = signal<string | null>(null);
  readonly context = signal<Context | null>(null);
  readonly theme = signal<Theme>({ chosen: null, page: null });
  /** Questions from the page that the chat has not processed yet. */
  readonly questions = signal<readonly PageQuestion[]>([]);
  /** Tools of the page. `undefined`: the page has registered none. */
  tools: readonly OfferedTool[] | undefined;
  /** Number of questions that the page has sent. */
  readonly asked = signal(0);
  /** `false` if the page has reported that the frame is hidden. */
  readonly isShown = signal(true);
  readonly #origins: readonly string[];
  /** Resolves when the loader has sent `init`, after a timeout, or at once if there is no embedding page. */
  readonly initialized: Promise<void>;
  readonly #initialize: () => void;
  #origin: string | null = null;
  #canRenew = false;
  #onToken: ((token: string | null) => void) | null = null;

  /** @param origins the origins that may embed this page. */
  constructor(origins: readonly string[]) {
    this.#origins = origins;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.initialized = promise;
    this.#initialize = resolve;
    if (window.parent === window) {
      this.#initialize();
      return;
    }
    const hasLoader = location.hash === EMBEDDED_HASH;
    setTimeout(this.#initialize, hasLoader ? INIT_TIMEOUT_MS : INIT_TIMEOUT_WITHOUT_LOADER_MS);
    window.addEventListener('message', (event) => this.#receive(event));
    // The origin of the page is not known yet, so send to any origin. The message contains no secrets.
    window.parent.postMessage(seal({ type: 'ready' }), '*');
  }

  /**
   * Returns the origin of the embedding page. Before the page's first message, returns the referrer, or `null` if the
   * browser sends no referrer. Without an embedding page, returns the URL of the frame.
   */
  get origin(): string | null {
    return this.#origin ?? (window.parent === window ? location.href : document.referrer || null);
  }

  send(message: ToHost): void {
    if (this.#origin !== null) window.parent.postMessage(seal(message), this.#origin);
  }

  /** Requests a new link token from the page. Resolves to `null` if the page cannot provide a token. */
  async requestToken(): Promise<string | null> {
    await this.initialized;
    if (!this.#canRenew) return null;
    this.#onToken?.(null);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), RENEW_TIMEOUT_MS);
      this.#onToken = (token) => {
        clearTimeout(timer);
        this.#onToken = null;
        resolve(token);
      };
      this.send({ type: 'token-needed' });
    });
  }

  #receive(event: MessageEvent): void {
    if (!this.isFromPage(event)) return;
    const message = readMessage<Handled>(event.data, TO_FRAME);
    if (message === null) return;
    this.#origin = event.origin;
    this.#handle(message);
  }

  /** Reports whether a message comes from the window and the origin of the embedding page. */
  isFromPage({ source, origin }: MessageEvent): boolean {
    if (source !== window.parent) return false;
    return this.#origin === null ? this.#origins.includes(origin) : origin === this.#origin;
  }

  #handle(message: Handled): void {
    switch (message.type) {
      case 'init':
        this.mode.value = message.mode;
        this.locale.value = message.locale;
        this.#setContext(message.context);
        this.#canRenew = message.canRenew;
        this.#initialize();
        return;
      case 'context':
        this.#setContext(message.context);
        return;
      case 'ask':
        this.questions.value = [...this.questions.peek(), message];
        this.asked.value += 1;
        return;
      case 'theme':
        this.theme.value = message;
        return;
      case 'tools':
        this.tools = message.tools;
        return;
      case 'token':
        this.#onToken?.(message.token);
        return;
      case 'shown':
      case 'hidden':
        this.isShown.value = message.type === 'shown';
    }
  }

  /** Ignores a context that is too long, because the service would reject every question with that context. */
  #setContext(context: Context | null): void {
    const fits = JSON.stringify(context).length <= MAX_CONTEXT_LENGTH;
    this.context.value = fits ? context : null;
    if (!fits)
      console.error(
        `Gatehouse: context ignored, because its JSON exceeds ${MAX_CONTEXT_LENGTH} characters`,
      );
  }
}
