import { Component, type ComponentChild, createRef, h } from 'preact';
import { copyText } from '../text/copy-text.ts';
import type { Strings } from '../translations/strings.ts';

/** Time for which the button shows that the code was copied, in milliseconds. */
const COPIED_MS = 2_000;

interface CodeBlockProps {
  readonly text: string;
  /** The language name in the answer, or an empty string. */
  readonly language: string;
  readonly strings: Strings;
}

export class CodeBlock extends Component<CodeBlockProps, { readonly isCopied: boolean }> {
  override state = { isCopied: false };
  readonly #code = createRef<HTMLElement>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  override componentWillUnmount(): void {
    clearTimeout(this.#timer);
  }

  override render(): ComponentChild {
    const { text, language, strings } = this.props;
    const { isCopied } = this.state;
    const name = language === '' ? strings.code : `${strings.code}: ${language}`;
    return h('div', { class: 'code' }, [
      h('div', { class: 'code-head' }, [
        h('span', { class: 'code-language', dir: 'auto' }, language),
        h(
          'button',
          {
            type: 'button',
            class: 'code-copy',
            'aria-label': isCopied ? strings.copied : strings.copyCode,
            onClick: () => void this.#copy(),
          },
          isCopied ? strings.copied : strings.copy,
        ),
      ]),
      h(
        'pre',
        { tabIndex: 0, role: 'group', 'aria-label': name, dir: 'ltr' },
        h('code', { ref: this.#code }, text),
      ),
    ]);
  }

  /**
   * Copies the code. If the browser denies access to the clipboard, as is common in frames, selects the code instead.
   */
  async #copy(): Promise<void> {
    if (!(await copyText(this.props.text))) {
      if (this.#code.current !== null) getSelection()?.selectAllChildren(this.#code.current);
      return;
    }
    this.setState({ isCopied: true });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.setState({ isCopied: false }), COPIED_MS);
  }
}
