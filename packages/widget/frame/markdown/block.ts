import type { Token, Tokens } from 'marked';
import { Component, type ComponentChild, createRef, h } from 'preact';
import { copyText } from '../text/copy-text.ts';
import { visible } from '../text/visible.ts';
import type { Strings } from '../translations/strings.ts';
import { Formula } from './formula.ts';
import { Inline, type RenderContext, textOf } from './inline.ts';

/** Headings of an answer start at level 3, below the headings of the page. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const;
const MAX_LANGUAGE_LENGTH = 30;
const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Samr}\p{sc=Mand}\p{sc=Adlm}\p{sc=Rohg}]/u;

interface BlockProps {
  readonly token: Token;
  readonly context: RenderContext;
}

/** A block of an answer. Re-renders only if its token or the context changes. */
export class Block extends Component<BlockProps> {
  override shouldComponentUpdate({ token, context }: BlockProps): boolean {
    return token !== this.props.token || context !== this.props.context;
  }

  override render({ token, context }: BlockProps): ComponentChild {
    return element(token, context);
  }
}

function element(token: Token, context: RenderContext): ComponentChild {
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return h('p', { dir: 'auto' }, inline(token, context));
    case 'heading': {
      const name = HEADINGS[Math.min((token as Tokens.Heading).depth, HEADINGS.length) - 1];
      return h(name ?? 'h6', { dir: 'auto' }, inline(token, context));
    }
    case 'list':
      return list(token as Tokens.List, context);
    case 'blockquote': {
      const { tokens, text } = token as Tokens.Blockquote;
      return h('blockquote', { dir: directionOf(text) }, blocks(tokens, context));
    }
    case 'table':
      return table(token as Tokens.Table, context);
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      const language = visible(lang.split(/\s/, 1)[0] ?? '').slice(0, MAX_LANGUAGE_LENGTH);
      const code = visible(text).replace(/\n$/, '');
      return h(CodeBlock, { text: code, language, strings: context.strings });
    }
    case 'formula':
      return h(Formula, { text: visible((token as Tokens.Generic).text), isBlock: true });
    case 'hr':
      return h('hr', null);
    case 'text':
    case 'checkbox':
      return inline(token, context);
    default:
      return h('p', { dir: 'auto', class: 'plain' }, visible(token.raw));
  }
}

function blocks(tokens: readonly Token[], context: RenderContext): ComponentChild[] {
  return tokens.map((token, key) => h(Block, { key, token, context }));
}

/** A checkbox or the text of a list item may have no child tokens. */
function inline(token: Token, context: RenderContext): ComponentChild {
  return h(Inline, { tokens: (token as Tokens.Generic).tokens ?? [token], context });
}

/** Renders a list in the direction of its items, or in the direction of the answer if the items differ or have no letters. */
function list({ ordered, start, items }: Tokens.List, context: RenderContext): ComponentChild {
  const directions = new Set(items.map(({ text }) => directionOf(text)));
  directions.delete(undefined);
  const [dir] = directions.size === 1 ? directions : [];
  const children = items.map(({ tokens }, key) => h('li', { key }, blocks(tokens, context)));
  return ordered ? h('ol', { dir, start: Number(start) }, children) : h('ul', { dir }, children);
}

/** Renders a table in a scrollable region that the keyboard can reach. */
function table({ header, rows, raw }: Tokens.Table, context: RenderContext): ComponentChild {
  const names = header.map(({ tokens }) => textOf(tokens)).join(', ');
  const label = `${context.strings.table}: ${names}`;
  return h(
    'div',
    { class: 'table', role: 'group', 'aria-label': label, tabIndex: 0 },
    h('table', { dir: directionOf(raw) }, [
      h('thead', null, row(header, context)),
      h(
        'tbody',
        null,
        rows.map((cells) => row(cells, context)),
      ),
    ]),
  );
}

function row(cells: readonly Tokens.TableCell[], context: RenderContext): ComponentChild {
  return h(
    'tr',
    null,
    cells.map(({ tokens, align, header }) => {
      const children = h(Inline, { tokens, context });
      const props = { dir: 'auto', class: align ?? undefined } as const;
      return header ? h('th', { ...props, scope: 'col' }, children) : h('td', props, children);
    }),
  );
}

/**
 * Returns the direction of the first letter of a text, or `undefined` if there is no letter. Used for blocks that
 * contain other blocks, because `dir=auto` ignores the text of nested blocks.
 */
export function directionOf(text: string): 'ltr' | 'rtl' | undefined {
  const [letter] = LETTER.exec(text) ?? [];
  if (letter === undefined) return undefined;
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

/** Time for which the button shows that the code was copied, in milliseconds. */
const COPIED_MS = 2_000;

interface CodeBlockProps {
  readonly text: string;
  /** The language name in the answer, or an empty string. */
  readonly language: string;
  readonly strings: Strings;
}

class CodeBlock extends Component<CodeBlockProps, { readonly isCopied: boolean }> {
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
