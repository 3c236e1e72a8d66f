import {
  type Context,
  EMBEDDED_HASH,
  isContext,
  isQuestion,
  isScheme,
  MAX_QUESTION_LENGTH,
  type Mode,
  type Scheme,
  type ToFrame,
} from '../../protocol/messages.ts';
import type { Shell } from '../shell.ts';
import type { PageTools } from '../tools/page-tools.ts';
import { Box, type Stage } from './box.ts';
import { Focus } from './focus.ts';
import { type ChatMessage, FrameBridge } from './frame-bridge.ts';
import { LinkToken, type TokenHolder } from './link-token.ts';
import { watchPageScheme } from './page-scheme.ts';

const MODES: readonly (string | null)[] = ['bubble', 'inline', 'panel', 'page'] satisfies Mode[];
/** URL of this script. The URL of the frame is relative to the URL of this script. */
const SERVICE = import.meta.url;
/** Maximum time to wait for the `token` attribute if the page has no `getToken`. */
const TOKEN_TIMEOUT_MS = 10_000;

/**
 * The chat of an element after its first opening.
 *
 *   none ──opening──▶ loading ──`ready`──▶ ready
 *                     loading ──no token, timeout──▶ failed ──retry──▶ loading
 *                                                    failed ──late `ready`──▶ ready
 *   any ──removed from the page, another token──▶ none
 *
 * A browser can combine different cached versions of `embed.js` and of this script, so do not change the names or the
 * meaning of the methods that `embed.js` calls.
 */
export class Chat {
  readonly #element: TokenHolder;
  readonly #box: Box;
  readonly #focus: Focus;
  readonly #token: LinkToken;
  isOpen = false;
  #stage: Stage = 'none';
  #frame: FrameBridge | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #context: Context | null = null;
  #look: Extract<ChatMessage, { type: 'look' }> | null = null;
  /** The scheme that the page has set. `null`: `auto`. */
  #chosen: Scheme = null;
  #pageScheme: Scheme = null;
  #stopWatching = (): void => {};
  /** Questions for the frame, until the frame is ready. Each question is sent once, even if the frame reloads. */
  #questions: ToFrame[] = [];
  #tools: PageTools | undefined;
  /** Number of calls of `registerTool` that are waiting for their code. */
  #registering = 0;

  constructor(element: TokenHolder, shell: Shell) {
    this.#element = element;
    this.#focus = new Focus(shell);
    this.#token = new LinkToken(element);
    this.#box = new Box(shell, {
      retry: () => {
        this.#reset();
        void this.#load(true);
      },
      escape: () => this.close(),
    });
  }

  open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.#focus.rememberOpener();
    this.#show();
    // Move the focus before the message `shown`. After that message the frame focuses its text field, but only if the
    // frame has the focus.
    this.#focus.moveTo(this.#frame?.element);
    this.settle();
    this.#fire('open');
  }

  /** Has no effect in the modes `inline` and `page`. */
  close(): void {
    if (!this.isOpen || this.#isPartOfPage) return;
    const hadFocus = this.#focus.isWithin;
    this.isOpen = false;
    this.settle();
    if (hadFocus) this.#focus.restore();
    this.#fire('close');
  }

  /** `null` and `undefined` remove the context. Ignores values that are not objects. */
  updateContext(context: unknown): void {
    // Copy through JSON, because `postMessage` rejects the proxies that frameworks create.
    const copy = JSON.parse(JSON.stringify(context ?? null));
    if (!isContext(copy)) this.#warn('updateContext needs an object');
    else {
      this.#context = copy;
      this.#frame?.send({ type: 'context', context: copy });
    }
  }

  /** Opens the chat with a question in its text field. `send` also sends the question. */
  ask(text: unknown, options?: { readonly send?: boolean }): void {
    if (!isQuestion(text)) {
      const { length } = String(text);
      this.#warn(
        `ask needs a text of 1 to ${MAX_QUESTION_LENGTH} characters; received ${typeof text} of ${length}`,
      );
      return;
    }
    this.#questions.push({ type: 'ask', text, send: options?.send === true });
    if (!this.isOpen) {
      this.open();
      return;
    }
    this.#focus.rememberOpener();
    this.#focus.moveTo(this.#frame?.element);
    this.settle();
  }

  /** Registers a tool of the page. Questions of the page wait until its code is loaded. */
  async registerTool(tool: unknown, options?: { readonly signal?: AbortSignal }): Promise<void> {
    this.#registering += 1;
    try {
      // The build replaces the specifier with the URL of the script.
      const { PageTools } = await import('../tools/page-tools.ts');
      this.#tools ??= new PageTools({
        send: (message) => this.#frame?.send(message),
        isFromFrame: (event) => !!this.#frame?.isSender(event),
      });
      this.#tools.register(tool, options);
    } catch (error) {
      this.#warn(error);
    }
    this.#registering -= 1;
    this.settle();
  }

  /** `light` or `dark` takes precedence over the link and the page. `auto` restores the default. */
  setTheme(theme: unknown): void {
    const scheme = theme === 'auto' ? null : theme;
    if (!isScheme(scheme)) this.#warn('setTheme needs light, dark or auto');
    else {
      this.#chosen = scheme as Scheme;
      this.settle();
    }
  }

  /** Applies the current attributes of the element. Also applies the insertion or removal of the element. */
  settle(): void {
    const { isConnected } = this.#element;
    if (this.#token.hasChanged() || !isConnected) this.#reset();
    if (!isConnected) return;
    this.isOpen ||= this.#isPartOfPage;
    this.#show();
    if (this.isOpen && this.#stage === 'none') void this.#load(false);
    this.#initFrame();
  }

  end(): void {
    this.isOpen = false;
    this.#reset();
    this.#box.end();
  }

  get #mode(): Mode {
    const mode = this.#element.getAttribute('mode');
    return MODES.includes(mode) ? (mode as Mode) : 'bubble';
  }

  get #isPartOfPage(): boolean {
    return this.#mode === 'inline' || this.#mode === 'page';
  }

  /** @param isRetry `true` if the current token has failed, so that a new token should be requested first. */
  async #load(isRetry: boolean): Promise<void> {
    this.#enter('loading');
    const { current } = this.#token;
    const token = (isRetry || current === null ? await this.#renew() : null) ?? current;
    // The element has since been removed, or another attempt has already loaded the frame.
    if (this.#stage !== 'loading' || this.#frame !== null) return;
    if (token === null) this.#waitForToken();
    else this.#loadFrame(token);
  }

  #loadFrame(token: string): void {
    this.#stopWatching = watchPageScheme((scheme) => {
      if (scheme === this.#pageScheme) return;
      this.#pageScheme = scheme;
      this.settle();
    });
    const url = new URL(`widget/${encodeURIComponent(token)}${EMBEDDED_HASH}`, SERVICE);
    this.#frame = new FrameBridge(url, {
      onMessage: (message) => this.#handle(message),
      onTimeout: (reason) => this.#fail('unreachable', reason),
    });
    this.#box.addFrame(this.#frame.element);
    this.#show();
    this.#focus.moveTo(this.#frame.element);
  }

  #waitForToken(): void {
    const fail = () => this.#fail('no-token', 'no link token: set token or getToken');
    if (this.#token.canRenew) this.#enter('failed');
    else this.#timer = setTimeout(fail, TOKEN_TIMEOUT_MS);
  }

  #reset(): void {
    clearTimeout(this.#timer);
    this.#frame?.end();
    this.#frame = null;
    this.#stopWatching();
    this.#enter('none');
  }

  /** Returns a new token. Returns `null` if the page has no `getToken`, or after reporting that `getToken` failed. */
  async #renew(): Promise<string | null> {
    if (!this.#token.canRenew) return null;
    try {
      return await this.#token.renew();
    } catch (error) {
      this.#report('no-token', error);
      return null;
    }
  }

  #handle(message: ChatMessage): void {
    switch (message.type) {
      case 'ready':
        this.#enter('ready');
        if (this.isOpen) this.#focus.moveTo(this.#frame?.element);
        this.#initFrame();
        return;
      case 'look':
        this.#look = message;
        this.#show();
        return;
      case 'token-needed':
        void this.#renew().then((token) => this.#frame?.send({ type: 'token', token }));
        return;
      case 'close':
        this.close();
        return;
      default: {
        const { type, ...detail } = message;
        this.#fire(type, detail);
      }
    }
  }

  #initFrame(): void {
    // The frame sends a waiting question after `init`, so it needs the tools before.
    if (this.#tools) this.#frame?.send({ type: 'tools', tools: this.#tools.definitions });
    this.#frame?.send({
      type: 'init',
      mode: this.#mode,
      locale: this.#element.getAttribute('lang'),
      context: this.#context,
      canRenew: this.#token.canRenew,
    });
    this.#frame?.send({ type: 'theme', chosen: this.#chosen, page: this.#pageScheme });
    this.#frame?.send({ type: this.isOpen ? 'shown' : 'hidden' });
    if (this.#stage !== 'ready' || this.#registering > 0) return;
    for (const question of this.#questions.splice(0)) this.#frame?.send(question);
  }

  #enter(stage: Stage): void {
    this.#stage = stage;
    this.#show();
  }

  #show(): void {
    const element = this.#element;
    this.#box.show({
      mode: this.#mode,
      side: element.getAttribute('position') ?? this.#look?.position ?? null,
      isOpen: this.isOpen,
      stage: this.#stage,
      scheme: this.#chosen ?? this.#pageScheme,
      title: element.getAttribute('label') ?? this.#look?.title ?? 'Chat',
      accent: this.#look?.accent ?? null,
    });
  }

  #fail(reason: 'unreachable' | 'no-token', error: unknown): void {
    this.#enter('failed');
    this.#report(reason, error);
  }

  #report(reason: 'unreachable' | 'no-token', error: unknown): void {
    this.#warn(error);
    this.#fire('error', { reason });
  }

  #warn(problem: unknown): void {
    console.warn('Gatehouse:', problem);
  }

  #fire(name: string, detail: object = {}): void {
    const event = new CustomEvent(`gatehouse-${name}`, { detail, bubbles: true });
    this.#element.dispatchEvent(event);
  }
}
