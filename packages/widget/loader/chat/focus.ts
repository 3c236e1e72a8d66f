import type { Shell } from '../shell.ts';

/** Moves the focus when a chat opens and closes. */
export class Focus {
  readonly #shell: Shell;
  readonly #shadow: ShadowRoot;
  /** The focused element when the chat was opened. */
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

  /** Focuses the frame if a person opened it and has not moved the focus since; never if the page opened it. */
  moveTo(frame: HTMLElement | undefined): void {
    const isWaitedFor = this.#isOpenedByPerson && this.#opener === document.activeElement;
    if (!this.isWithin && !isWaitedFor) return;
    // A document that loads in a focused frame does not get the focus, so focus the frame again.
    frame?.blur();
    frame?.focus();
  }

  /** Restores the focus to the element of the page that had it, or else to the button. */
  restore(): void {
    const opener = this.#opener as HTMLElement | null;
    const isElsewhere = opener?.isConnected && ![this.#shadow.host, document.body].includes(opener);
    (isElsewhere ? opener : this.#shell.button).focus();
  }
}
