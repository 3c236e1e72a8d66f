import type { Token, Tokens } from 'marked';
import { Component, type ComponentChild, h } from 'preact';
import { visible } from '../text/visible.ts';
import { CodeBlock } from './code-block.ts';
import { directionOf } from './direction.ts';
import { Inline, textOf } from './inline.ts';
import type { View } from './view.ts';

/** An answer's `#` is below the headings of the page. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const;
const LONGEST_LANGUAGE = 30;

interface BlockProps {
  readonly token: Token;
  readonly view: View;
}

/** One block of an answer. Rendered again only when it is another one. */
export class Block extends Component<BlockProps> {
  override shouldComponentUpdate({ token, view }: BlockProps): boolean {
    return token !== this.props.token || view !== this.props.view;
  }

  override render({ token, view }: BlockProps): ComponentChild {
    return element(token, view);
  }
}

function element(token: Token, view: View): ComponentChild {
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return h('p', { dir: 'auto' }, inline(token, view));
    case 'heading': {
      const name = HEADINGS[Math.min((token as Tokens.Heading).depth, HEADINGS.length) - 1];
      return h(name ?? 'h6', { dir: 'auto' }, inline(token, view));
    }
    case 'list':
      return list(token as Tokens.List, view);
    case 'blockquote': {
      const { tokens, text } = token as Tokens.Blockquote;
      return h('blockquote', { dir: directionOf(text) }, blocks(tokens, view));
    }
    case 'table':
      return table(token as Tokens.Table, view);
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      const language = visible(lang.split(/\s/, 1)[0] ?? '').slice(0, LONGEST_LANGUAGE);
      const code = visible(text).replace(/\n$/, '');
      return h(CodeBlock, { text: code, language, words: view.words });
    }
    case 'hr':
      return h('hr', null);
    case 'text':
    case 'checkbox':
      return inline(token, view);
    default:
      return h('p', { dir: 'auto', class: 'plain' }, visible(token.raw));
  }
}

function blocks(tokens: readonly Token[], view: View): ComponentChild[] {
  return tokens.map((token, key) => h(Block, { key, token, view }));
}

/** A list's text, and a box that is ticked or not, have no tokens inside. */
function inline(token: Token, view: View): ComponentChild {
  return h(Inline, { tokens: (token as Tokens.Generic).tokens ?? [token], view });
}

function list({ ordered, start, items, raw }: Tokens.List, view: View): ComponentChild {
  const dir = directionOf(raw);
  const children = items.map(({ tokens, text }, key) =>
    h('li', { key, dir: directionOf(text) }, blocks(tokens, view)),
  );
  return ordered ? h('ol', { dir, start: Number(start) }, children) : h('ul', { dir }, children);
}

/** It may be wider than the page, so it scrolls by itself, and can be reached to scroll it by keys. */
function table({ header, rows, raw }: Tokens.Table, view: View): ComponentChild {
  const names = header.map(({ tokens }) => textOf(tokens)).join(', ');
  const label = `${view.words.table}: ${names}`;
  return h(
    'div',
    { class: 'table', role: 'group', 'aria-label': label, tabIndex: 0 },
    h('table', { dir: directionOf(raw) }, [
      h('thead', null, row(header, view)),
      h(
        'tbody',
        null,
        rows.map((cells) => row(cells, view)),
      ),
    ]),
  );
}

function row(cells: readonly Tokens.TableCell[], view: View): ComponentChild {
  return h(
    'tr',
    null,
    cells.map(({ tokens, align, header }) => {
      const children = h(Inline, { tokens, view });
      const props = { dir: 'auto', class: align ?? undefined } as const;
      return header ? h('th', { ...props, scope: 'col' }, children) : h('td', props, children);
    }),
  );
}
