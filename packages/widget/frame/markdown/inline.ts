import type { Token, Tokens } from 'marked';
import { Component, type ComponentChild, h } from 'preact';
import { splitCitations } from '../text/citations.ts';
import { decodeEntities } from '../text/entities.ts';
import { visible } from '../text/visible.ts';
import { interpolate, type Strings } from '../translations/strings.ts';
import { isDisguised, type LinkTarget, targetOf } from './link-target.ts';

/** Properties of an answer that its elements need. The same object as long as none of them changes. */
export interface RenderContext {
  readonly strings: Strings;
  /** The sources that the answer can cite, by number. */
  readonly sources: ReadonlyMap<number, { readonly title: string }>;
  readonly cite: (number: number) => void;
}

interface InlineProps {
  readonly tokens: readonly Token[];
  readonly context: RenderContext;
}

/** Inline text with formatting. Renders again only if its tokens change. */
export class Inline extends Component<InlineProps> {
  override shouldComponentUpdate({ tokens, context }: InlineProps): boolean {
    const before = this.props.tokens;
    const isSame =
      tokens.length === before.length && tokens.every((token, at) => token === before[at]);
    return !isSame || context !== this.props.context;
  }

  override render({ tokens, context }: InlineProps): ComponentChild {
    return elements(tokens, context, false);
  }
}

/** Returns the text of inline tokens, without marks and with decoded character references. */
export function textOf(tokens: readonly Token[]): string {
  return tokens.map(shownText).join('');
}

function shownText(token: Token): string {
  if (token.type === 'br') return '\n';
  const { tokens, text } = token as Tokens.Generic;
  if (tokens !== undefined) return textOf(tokens);
  const isLiteral = token.type !== 'text' || typeof text !== 'string';
  return visible(isLiteral ? String(text ?? token.raw) : decodeEntities(text));
}

function elements(
  tokens: readonly Token[],
  context: RenderContext,
  isInLink: boolean,
): ComponentChild[] {
  return tokens.map((token) => element(token, context, isInLink));
}

function element(token: Token, context: RenderContext, isInLink: boolean): ComponentChild {
  const inside = () => elements((token as Tokens.Generic).tokens ?? [], context, isInLink);
  switch (token.type) {
    case 'text':
      return isInLink ? shownText(token) : withCitations(shownText(token), context);
    case 'strong':
    case 'em':
    case 'del':
      return h(token.type, null, inside());
    case 'codespan':
      return h('code', { dir: 'auto' }, shownText(token));
    case 'br':
      return h('br', null);
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ ';
    case 'link':
      return isInLink ? inside() : link(token as Tokens.Link, context);
    case 'image':
      return image(token as Tokens.Image, context, isInLink);
    default:
      return shownText(token);
  }
}

function link(token: Tokens.Link, context: RenderContext): ComponentChild {
  // An autolinked address is literal, even if a part of it looks like a character reference.
  const isLiteral = token.autolink === true;
  const target = targetOf(isLiteral ? token.href : decodeEntities(token.href));
  const text = isLiteral ? visible(token.text) : textOf(token.tokens);
  const children = isLiteral ? text : elements(token.tokens, context, target !== null);
  if (target === null) return children;
  if (text.trim() === '') return anchor(target, target.place);
  const shown = anchor(target, children);
  return isDisguised(text, target)
    ? [shown, ' ', h('bdi', { class: 'true-place' }, `(${target.place})`)]
    : shown;
}

/**
 * Loading it would tell its host what is in the address, so it is a link that says where it leads. In a link
 * it is its text alone: another host than the link's would be a disguise.
 */
function image(
  { href, tokens }: Tokens.Image,
  { strings }: RenderContext,
  isInLink: boolean,
): ComponentChild {
  const alt = textOf(tokens);
  const target = targetOf(decodeEntities(href));
  if (isInLink || target === null || !target.href.startsWith('http')) return alt;
  return anchor(target, interpolate(strings.image, { alt: alt.trim() || '…', host: target.place }));
}

function anchor({ href }: LinkTarget, children: ComponentChild): ComponentChild {
  const rel = 'noopener noreferrer nofollow';
  return h('a', { href, target: '_blank', rel, dir: 'auto' }, children);
}

function withCitations(text: string, context: RenderContext): ComponentChild {
  return splitCitations(text).map((part) => {
    if (typeof part === 'string') return part;
    const isKnown = part.numbers.some((number) => context.sources.has(number));
    return isKnown ? part.numbers.map((number) => citation(number, context)) : part.text;
  });
}

function citation(number: number, { strings, sources, cite }: RenderContext): ComponentChild {
  const source = sources.get(number);
  if (source === undefined) return `[${number}]`;
  const label = interpolate(strings.openSource, { number, name: visible(source.title) });
  return h(
    'button',
    { type: 'button', class: 'citation', 'aria-label': label, onClick: () => cite(number) },
    number,
  );
}
