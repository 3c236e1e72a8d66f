import type { Context, Mode } from '../protocol/messages.ts';
import type { Chat } from './chat/chat.ts';
import type { GetToken } from './chat/link-token.ts';
import { buildShell } from './shell.ts';
import { wordsOf } from './strings.ts';

export const NAME = 'gatehouse-chat';
const ATTRIBUTES = ['token', 'get-token', 'mode', 'position', 'lang', 'label'];

/** What can be said of a chat at once. What is text is an attribute of the element, too. */
export interface Options {
  readonly token?: string;
  /** Or the name of a global function. */
  readonly getToken?: GetToken | string;
  readonly mode?: Mode;
  readonly position?: 'left' | 'right';
  /** BCP 47. */
  readonly lang?: string;
  /** What the button says. */
  readonly label?: string;
  readonly context?: Context;
  /** A selector of what to put it into; the body by default. */
  readonly target?: string;
}

/** This script, as the service gave it out. */
export const script = (document.currentScript ??
  document.querySelector('[src*="/embed.js"]')) as HTMLScriptElement;

/**
 * `<gatehouse-chat>`: a button, until it is opened for the first time. What it does then comes from a second
 * script, so that a page pays little for it. Fires `gatehouse-open`, `-close`, `-state`, `-question`,
 * `-answer` and `-error`; what was asked or answered is in none of them.
 */
export class ChatElement extends HTMLElement {
  static readonly observedAttributes = ATTRIBUTES;

  /** Goes before the attribute `get-token`. A function, or the name of a global one. */
  declare getToken?: GetToken | string;
  /** Whether it is in the page, or on its way there. */
  isLive = false;

  readonly #shell = buildShell(this);
  #chat: Chat | null = null;
  /** What the chat is to do once it is there. */
  #calls: ((chat: Chat) => void)[] = [];
  #loading: 'no' | 'yes' | 'failed' = 'no';
  #listeners = new AbortController();

  constructor() {
    super();
    const { button } = this.#shell;
    button.onpointerenter = button.onfocus = () => this.#load();
    button.onclick = () => (this.#chat ? this.#chat.toggle() : this.open());
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

  /** Shows the chat, which is loaded when it is shown for the first time. */
  open(): void {
    this.#do((chat) => chat.open());
    void this.#load();
  }

  /** Hides the chat, which stays as it is. */
  close(): void {
    this.#do((chat) => chat.close());
  }

  /** Tells the assistant facts about the page, as JSON, in place of those before; null: none. */
  updateContext(context: Context | null): void {
    this.#do((chat) => chat.updateContext(context));
  }

  /** Calls the listener with the detail of each `gatehouse-<name>`, until the returned function is called. */
  on(name: string, listener: (detail: unknown) => void): () => void {
    const type = `gatehouse-${name}`;
    const hear = (event: Event) => listener((event as CustomEvent).detail);
    this.addEventListener(type, hear, this.#listeners);
    return () => this.removeEventListener(type, hear);
  }

  /** Takes it out of the page and forgets what it was told, listeners included. */
  destroy(): void {
    this.remove();
    this.#listeners.abort();
    this.#listeners = new AbortController();
    this.#chat?.end();
    this.#chat = null;
    this.#calls = [];
  }

  /** Sets what is given, and puts the element into the page where it is not there yet. */
  init(options: Options): void {
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

  /** Calls methods by their names, for pages that do not wait for this script. */
  push(...calls: [name: string, ...values: unknown[]][]): void {
    for (const [name, ...values] of calls)
      (this as unknown as Record<string, (...values: unknown[]) => void>)[name]?.(...values);
  }

  get #mode(): string {
    return this.getAttribute('mode') ?? '';
  }

  #place(target = 'body'): void {
    const parent = document.querySelector(target);
    const others = [...document.querySelectorAll(NAME)];
    if (!parent) document.addEventListener('DOMContentLoaded', () => this.#place(target));
    // A script that is there twice makes one bubble, and a chat in each of its places.
    else if (this.#mode === 'inline' || !others.some((other) => other.isEqualNode(this)))
      parent.append(this);
  }

  #do(call: (chat: Chat) => void): void {
    if (this.#chat) call(this.#chat);
    else this.#calls.push(call);
  }

  #settle(): void {
    const { root, button, message } = this.#shell;
    const hasFailed = this.#loading === 'failed';
    const isPartOfPage = /^(inline|page)$/.test(this.#mode);
    const language = this.closest<HTMLElement>('[lang]')?.lang || navigator.language;
    const [open, close, failed, retry] = wordsOf(language);
    const label = this.getAttribute('label') ?? open;
    this.#shell.words = [label, close, failed, retry];
    root.className = this.getAttribute('position') ?? '';
    button.hidden = isPartOfPage && !hasFailed;
    message.data = hasFailed ? `${failed}. ${retry}` : '';
    button.ariaLabel = button.title = message.data || label;
    this.#chat?.settle();
    if (isPartOfPage && this.isConnected && !hasFailed) void this.#load();
  }

  async #load(): Promise<void> {
    if (this.#chat || this.#loading === 'yes') return;
    this.#loading = 'yes';
    try {
      // The build makes this the address of `embed-chat.js`, which is beside this script.
      const opening = await import('./chat/chat.ts');
      this.#chat = new opening.Chat(this, this.#shell);
      for (const call of this.#calls) call(this.#chat);
      this.#loading = 'no';
    } catch (error) {
      this.#loading = 'failed';
      console.warn('Gatehouse:', error);
      const detail = { reason: 'unreachable' };
      this.dispatchEvent(new CustomEvent('gatehouse-error', { detail, bubbles: true }));
    }
    this.#settle();
  }
}
