import type { Shell } from '../shell.ts';

/** Where the focus goes when a chat is opened and closed. */
export class Focus {
  readonly #shell: Shell;
  readonly #shadow: ShadowRoot;
  /** What had it when the chat was opened. */
  #opener: Element | null = null;
  #isOpenedByPerson = false;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.#shadow = shell.root.getRootNode() as ShadowRoot;
  }

  get isWithin(): boolean {
    return this.#shadow.activeElement !== null;
  }

  noteOpener(): void {
    this.#opener = document.activeElement;
    this.#isOpenedByPerson = navigator.userActivation?.isActive;
  }

  /** Into the frame, where a person opened it and has not gone elsewhere since; never by the page alone. */
  moveTo(frame: HTMLElement | undefined): void {
    const isWaitedFor = this.#isOpenedByPerson && this.#opener === document.activeElement;
    if (!this.isWithin && !isWaitedFor) return;
    // What it loads does not get the focus that it had while it was empty.
    frame?.blur();
    frame?.focus();
  }

  /** To what in the page had it before, else to the button. */
  giveBack(): void {
    const opener = this.#opener as HTMLElement | null;
    const isElsewhere = opener?.isConnected && ![this.#shadow.host, document.body].includes(opener);
    (isElsewhere ? opener : this.#shell.button).focus();
  }
}
