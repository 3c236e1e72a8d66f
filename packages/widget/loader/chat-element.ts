import type { Context, Mode } from '../protocol/messages.ts';
import type { Chat } from './chat/chat.ts';
import type { GetToken } from './chat/link-token.ts';
import { buildShell } from './shell.ts';
import { stringsOf } from './strings.ts';
import type { PageTool } from './tools/page-tools.ts';

export const NAME = 'gatehouse-chat';
const ATTRIBUTES = ['token', 'get-token', 'mode', 'position', 'lang', 'label'];
const OPTIONS = [...ATTRIBUTES, 'getToken', 'context', 'target'];

type Method = 'open' | 'close' | 'updateContext' | 'ask' | 'registerTool' | 'setTheme';

/** Options of `init`. All options except `context` and `target` are also attributes of the element. */
export interface Options {
  readonly token?: string;
  /** Returns a new link token. A string is the name of a global function. */
  readonly getToken?: GetToken | string;
  readonly mode?: Mode;
  readonly position?: 'left' | 'right';
  /** BCP 47 tag. Default: the language of the page. */
  readonly lang?: string;
  readonly label?: string;
  readonly context?: Context;
  /** Selector of the parent element. Default: `body`. */
  readonly target?: string;
}

export const script = (document.currentScript ??
  document.querySelector('[src*="/embed.js"]')) as HTMLScriptElement;

type Call = (...values: unknown[]) => void;

/** Warns about an unknown command or unknown options. Most pages never load the code of the warnings. */
async function warn(mistake: unknown): Promise<void> {
  // The build replaces the specifiers of dynamic imports with the URLs of the scripts.
  const names = await import('./names.ts');
  names.warn(mistake, OPTIONS);
}

export function checkOptions(options: object): void {
  if (!Object.keys(options).every((name) => OPTIONS.includes(name))) void warn(options);
}

/**
 * `<gatehouse-chat>`: a button that opens the chat. To keep this script small, the code of the chat is in a second
 * script, which loads when the pointer or the focus reaches the button, or at once if the chat is part of the page. Fires `gatehouse-open`, `-close`, `-state`, `-question`,
 * `-answer` and `-error`. No event contains the text of a question or an answer.
 *
 * @example
 *   const chat = document.querySelector('gatehouse-chat');
 *   const stop = chat.on('answer', ({ state }) => console.log(state));
 *   chat.updateContext({ page: location.pathname });
 *   chat.open();
 */
export class ChatElement extends HTMLElement {
  static readonly observedAttributes = ATTRIBUTES;

  /** Takes precedence over the attribute `get-token`. */
  declare getToken?: GetToken | string;
  /** `true` if the element is in the page, or if `init` is about to add the element. */
  isLive = false;

  readonly #shell = buildShell(this);
  #chat: Chat | null = null;
  #calls: [name: Method, ...values: unknown[]][] = [];
  /** `false`: loading has failed. */
  #isLoading?: boolean | undefined;
  #listeners = new AbortController();

  constructor() {
    super();
    const { button } = this.#shell;
    button.onpointerenter = button.onfocus = () => this.#load();
    button.onclick = () => this.toggle();
  }

  connectedCallback(): void {
    this.isLive = true;
    this.#settle();
  }

  disconnectedCallback(): void {
    this.isLive = this.isConnected;
    this.#settle();
  }

  attributeChangedCallback(): void {
    this.#settle();
  }

  /** Opens the chat. The first call also loads the chat. */
  open(): void {
    this.#do('open');
    void this.#load();
  }

  toggle(): void {
    if (this.isOpen) this.close();
    else this.open();
  }

  get isOpen(): boolean {
    return !!this.#chat?.isOpen;
  }

  /**
   * Opens the chat and fills in a question of at most 4,000 characters. With `send`, sends the question once, after any
   * answer that is streaming.
   */
  ask(text: string, options?: { readonly send?: boolean }): void {
    this.#do('ask', text, options);
    void this.#load();
  }

  /** Registers a tool of the page, which the assistant may call. Replaces the tool with the same name. `signal` removes the tool. */
  registerTool(tool: PageTool, options?: { readonly signal?: AbortSignal }): void {
    this.#do('registerTool', tool, options);
  }

  /** `auto`: the colour scheme of the link, the page or the system. */
  setTheme(theme: 'light' | 'dark' | 'auto'): void {
    this.#do('setTheme', theme);
  }

  /** Closes the chat without losing its state. */
  close(): void {
    this.#do('close');
  }

  /** Replaces the facts about the page that the assistant receives with each question. `null` removes all facts. */
  updateContext(context?: Context | null): void {
    this.#do('updateContext', context);
  }

  /** Calls the listener with the detail of each `gatehouse-<name>` event. Returns a function that removes the listener. */
  on(name: string, listener: (detail: unknown) => void): () => void {
    const type = `gatehouse-${name}`;
    const handler = (event: Event) => listener((event as CustomEvent).detail);
    this.addEventListener(type, handler, this.#listeners);
    return () => this.removeEventListener(type, handler);
  }

  /** Removes the element from the page and resets its state, including listeners. */
  destroy(): void {
    this.remove();
    this.#listeners.abort();
    this.#listeners = new AbortController();
    this.#chat?.end();
    this.#chat = null;
    this.#calls = [];
  }

  /** Sets options, and adds the element to the page unless the page already contains the element. */
  init(options: Options): void {
    checkOptions(options);
    const { getToken, context, target } = options;
    for (const name of ATTRIBUTES) {
      const text = options[name as 'token'];
      if (text) this.setAttribute(name, text);
    }
    if (getToken) this.getToken = getToken;
    if (context) this.updateContext(context);
    this.isLive = true;
    if (!this.isConnected) this.#place(target);
  }

  /** Calls methods by name. Pages can queue such calls before this script loads. Reports exceptions as uncaught errors. */
  push(...calls: [name: string, ...values: unknown[]][]): void {
    for (const call of calls)
      try {
        const [name, ...values] = call;
        const method = this[name as Method] as Call | undefined;
        // Members that are not functions have no `apply`.
        if (method?.apply) method.apply(this, values);
        else void warn(name);
      } catch (error) {
        reportError(error);
      }
  }

  #place(target = 'body'): void {
    const parent = document.querySelector(target);
    const others = [...document.querySelectorAll(NAME)];
    if (!parent) document.addEventListener('DOMContentLoaded', () => this.#place(target));
    // If a page includes the script twice, only one bubble appears, but all inline chats appear.
    else if (this.matches('[mode=inline]') || !others.some((other) => other.isEqualNode(this)))
      parent.append(this);
  }

  #do(name: Method, ...values: unknown[]): void {
    if (this.#chat) (this.#chat[name] as Call)(...values);
    else this.#calls.push([name, ...values]);
  }

  #settle(): void {
    const { root, button, message } = this.#shell;
    const hasFailed = this.#isLoading === false;
    const isPartOfPage = this.matches('[mode=inline],[mode=page]');
    const language = this.closest<HTMLElement>('[lang]')?.lang || navigator.language;
    const words = stringsOf(language);
    words[0] = this.getAttribute('label') ?? words[0];
    this.#shell.words = words;
    root.className = this.getAttribute('position') ?? '';
    button.hidden = isPartOfPage && !hasFailed;
    message.data = hasFailed ? `${words[2]}. ${words[3]}` : '';
    button.ariaLabel = button.title = message.data || words[0];
    this.#chat?.settle();
    if (isPartOfPage && this.isConnected && !hasFailed) void this.#load();
  }

  async #load(): Promise<void> {
    if (this.#chat || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const opening = await import('./chat/chat.ts');
      this.#chat = new opening.Chat(this, this.#shell);
      this.push(...this.#calls);
      this.#isLoading = undefined;
    } catch (error) {
      this.#isLoading = false;
      console.warn('Gatehouse:', error);
      const detail = { reason: 'unreachable' };
      this.dispatchEvent(new CustomEvent('gatehouse-error', { detail, bubbles: true }));
    }
    this.#settle();
  }
}
