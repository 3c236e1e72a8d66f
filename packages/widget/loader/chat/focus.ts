import type { Shell } from '../shell.ts';

export class Focus {
  readonly #shell: Shell;
  readonly #shadow: ShadowRoot;
  #opener: Element | null = null;
  #isOpenedByUser = false;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.#shadow = shell.root.getRootNode() as ShadowRoot;
  }

  get isWithin(): boolean {
    return this.#shadow.activeElement !== null;
  }

  rememberOpener(): void {
    this.#opener = document.activeElement;
    // A user who types in a field of the page has not opened the chat, even though each key is a user action.
    this.#isOpenedByUser =
      navigator.userActivation?.isActive && !this.#opener?.matches(':read-write');
  }

  /**
   * Focuses the frame if the focus is in the chat, or if the user opened the chat and has not moved the focus since. Never takes
   * the focus from a field of the page.
   */
  moveTo(frame: HTMLElement | undefined): void {
    const isAwaited = this.#isOpenedByUser && this.#opener === document.activeElement;
    if (!this.isWithin && !isAwaited) return;
    // A document that loads in a focused frame does not receive the focus until the frame is focused again.
    frame?.blur();
    frame?.focus();
  }

  /**
   * Returns the focus to the page element that was focused before, or to the button if that element no longer exists.
   */
  restore(): void {
    const opener = this.#opener as HTMLElement | null;
    const isElsewhere = opener?.isConnected && ![this.#shadow.host, document.body].includes(opener);
    (isElsewhere ? opener : this.#shell.button).focus();
  }
}
