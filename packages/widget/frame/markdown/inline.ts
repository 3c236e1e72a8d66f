import { splitKnownCitations } from '@gatehouse/contract/answer-text';
import type { Token, Tokens } from 'marked';
import { Component, type ComponentChild, h } from 'preact';
import { decodeEntities } from '../text/entities.ts';
import { visible } from '../text/visible.ts';
import { interpolate, type Strings } from '../translations/strings.ts';
import { Formula } from './formula.ts';
import { isDisguised, type LinkTarget, targetOf } from './link-target.ts';

/** Data that the elements of an answer share. The object is replaced only if a member changes. */
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

/** Formatted inline text. Re-renders only if its tokens or the context change. */
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

/** Returns the plain text of inline tokens, with decoded character references. */
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
    case 'formula':
      return h(Formula, { text: shownText(token), isBlock: false });
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
  // The address of an autolink is literal, even if it contains the syntax of a character reference.
  const isLiteral = token.autolink === true;
  const target = targetOf(isLiteral ? token.href : decodeEntities(token.href));
  const text = isLiteral ? visible(token.text) : textOf(token.tokens);
  const children = isLiteral ? text : elements(token.tokens, context, target !== null);
  if (target === null) return children;
  if (text.trim() === '') return anchor(target, target.address);
  const shown = anchor(target, children);
  return isDisguised(text, target)
    ? [shown, ' ', h('bdi', { class: 'true-address' }, `(${target.address})`)]
    : shown;
}

/**
 * Renders an image as a link that shows its host. Loading the image would send the data in the image's address to that
 * host. Inside another link, renders only the alternative text, because a second host would be misleading.
 */
function image(
  { href, tokens }: Tokens.Image,
  { strings }: RenderContext,
  isInLink: boolean,
): ComponentChild {
  const alt = textOf(tokens);
  const target = targetOf(decodeEntities(href));
  if (isInLink || target === null || !target.href.startsWith('http')) return alt;
  return anchor(
    target,
    interpolate(strings.image, { alt: alt.trim() || '…', host: target.address }),
  );
}

/** Returns a link that opens in a new tab. The opened page can neither access this page nor read its address. */
export function anchor({ href }: LinkTarget, children: ComponentChild): ComponentChild {
  const rel = 'noopener noreferrer nofollow';
  return h('a', { href, target: '_blank', rel, dir: 'auto' }, children);
}

/** Renders citations as buttons. Omits the citations of unknown sources, and the white space before them. */
function withCitations(text: string, context: RenderContext): ComponentChild {
  return splitKnownCitations(text, context.sources).map((part) =>
    typeof part === 'string' ? part : part.numbers.map((number) => citation(number, context)),
  );
}

function citation(number: number, { strings, sources, cite }: RenderContext): ComponentChild {
  const name = visible(sources.get(number)?.title ?? '');
  const label = interpolate(strings.openSource, { number, name });
  return h(
    'button',
    { type: 'button', class: 'citation', 'aria-label': label, onClick: () => cite(number) },
    number,
  );
}
