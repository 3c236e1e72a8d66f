import { Component, type ComponentChild, h } from 'preact';

/** Maximum length of a formula that is rendered, in UTF-16 code units. A longer formula is shown as its source text. */
const MAX_LENGTH = 2_000;
/** Matches a complete formula. Groups: text in line, text in a block. */
const COMPLETE = /^(?:\$(?!\$)(.+)\$|\\\((.+)\\\)|\$\$(.+)\$\$|\\\[(.+)\\\])\s*$/s;

interface FormulaProps {
  /** LaTeX with its delimiters, such as `$x^2$`. Untrusted. */
  readonly text: string;
  readonly isBlock: boolean;
}

interface FormulaState {
  readonly text: string;
  readonly math: readonly Node[];
}

/**
 * A formula as MathML. Shows the source text until the renderer is loaded, while the formula is incomplete, and if it is not
 * valid.
 */
export class Formula extends Component<FormulaProps, Partial<FormulaState>> {
  override state: Partial<FormulaState> = {};

  override componentDidMount(): void {
    void this.#renderMath();
  }

  override componentDidUpdate({ text }: FormulaProps): void {
    if (text !== this.props.text) void this.#renderMath();
  }

  override render({ text, isBlock }: FormulaProps, state: Partial<FormulaState>): ComponentChild {
    const tag = isBlock ? 'p' : 'span';
    const props = { dir: 'ltr', class: 'formula' } as const;
    const { math } = state;
    if (math === undefined || state.text !== text) return h(tag, { ...props, key: 'source' }, text);
    const ref = (element: HTMLElement | null) => element?.replaceChildren(...math);
    return h(tag, { ...props, key: 'math', ref });
  }

  async #renderMath(): Promise<void> {
    const { text, isBlock } = this.props;
    const latex = COMPLETE.exec(text)
      ?.slice(1)
      .find((group) => group !== undefined);
    if (latex === undefined || text.length > MAX_LENGTH) return;
    const box = document.createElement('span');
    try {
      const { default: temml } = await import('temml');
      // Commands that load resources or set attributes are not permitted.
      const limits = { trust: false, maxSize: [10, 100] as [number, number], maxExpand: 200 };
      temml.render(latex, box, { displayMode: isBlock, throwOnError: true, ...limits });
    } catch {
      // The formula is not valid, or the connection is lost. The source text remains.
      return;
    }
    if (text === this.props.text) this.setState({ text, math: [...box.childNodes] });
  }
}
