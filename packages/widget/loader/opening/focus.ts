import type { Shell } from '../shell.ts';

/** Where the focus goes when a chat is opened and closed. */
export class Focus {
  readonly #shell: Shell;
  readonly #shadow: ShadowRoot;
  /** What had it when the chat was opened; null: nobody has opened it. */
  #opener: Element | null = null;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.#shadow = shell.root.getRootNode() as ShadowRoot;
  }

  get isWithin(): boolean {
    return this.#shadow.activeElement !== null;
  }

  noteOpener(): void {
    this.#opener = document.activeElement;
  }

  /** Into the frame, where a person opened it, and not where the page did so by itself. */
  moveTo(frame: HTMLElement | undefined): void {
    const isOpenedByPerson = this.#opener !== null && navigator.userActivation?.isActive;
    if (this.isWithin || isOpenedByPerson) frame?.focus();
  }

  /** To what in the page had it before, else to the button. */
  giveBack(): void {
    const opener = this.#opener as HTMLElement | null;
    const isElsewhere = opener?.isConnected && ![this.#shadow.host, document.body].includes(opener);
    (isElsewhere ? opener : this.#shell.button).focus();
  }
}
