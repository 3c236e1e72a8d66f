import { existsSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import type { MarkdownLibrary, Token } from '@11ty/eleventy';
import { codeBlock, escapeHtml } from './code.ts';
import { ROOT, readSources, relativeUrl } from './sources.ts';

/** The data that Eleventy passes to the Markdown library. */
interface Environment {
  readonly page: { readonly inputPath: string };
}

const sources = readSources();

/** Images of the rendered pages: file in the repository by file name in `assets`. */
export type Images = Map<string, string>;

/**
 * Changes Eleventy's Markdown library: headings have anchors, links lead to pages of the site, code is highlighted, diagrams are
 * drawn, and tables scroll. Links to other files of the repository become text, because the site does not contain these files.
 */
export function amendMarkdown(markdown: MarkdownLibrary, images: Images): void {
  const { rules } = markdown.renderer;
  rules.fence = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {};
    return codeBlock(content, info.trim().split(/\s/)[0] ?? '');
  };
  rules.html_block = (tokens, index) => withoutComments(tokens[index]?.content ?? '');
  rules.table_open = () =>
    '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';

  markdown.core.ruler.push('site', ({ tokens, env }) => {
    const file = sourceOf(env);
    const used = new Map<string, number>();
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'heading_open') addAnchor(token, tokens[index + 1], used);
      replaceStyle(token);
      if (token.children !== null) token.children = token.children.map(inlineOf(file, images));
    }
  });
  rules.heading_close = (tokens, index, options, _env, self) => {
    const opening = tokens.slice(0, index).findLast(({ type }) => type === 'heading_open');
    const id = opening?.attrGet('id') ?? '';
    const name = escapeHtml(`Link to “${opening?.meta?.text ?? ''}”`);
    const link =
      opening?.tag === 'h1' ? '' : `<a class="anchor" href="#${id}" aria-label="${name}">#</a>`;
    return `${link}${self.renderToken(tokens, index, options)}`;
  };
}

/** Returns the path of a Markdown file in the repository. */
export function sourceOf({ page }: Environment): string {
  return page.inputPath.replace(/^\.\//, '').replace(/^docs\/~\//, '');
}

function withoutComments(html: string): string {
  return html.replace(/<!--[\s\S]*?-->\n?/g, '');
}

/** Replaces the inline style of an aligned table cell by a class, because the Content-Security-Policy forbids inline styles. */
function replaceStyle(token: Token): void {
  const [, alignment] = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '') ?? [];
  if (alignment !== undefined) token.attrs = [['class', alignment]];
}

/** Sets the anchor that code hosts generate for a heading: lower case, hyphens for spaces, no punctuation. */
function addAnchor(heading: Token, inline: Token | undefined, used: Map<string, number>): void {
  const text = textOf(inline);
  const base = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  const count = used.get(base) ?? 0;
  used.set(base, count + 1);
  heading.attrSet('id', count === 0 ? base : `${base}-${count}`);
  heading.meta = { text };
}

function textOf(inline: Token | undefined): string {
  return (inline?.children ?? [])
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ''))
    .join('');
}

/** Returns a function that resolves the links and images of a file. */
function inlineOf(file: string, images: Images): (token: Token) => Token {
  let isText = false;
  return (token) => {
    if (token.type === 'link_open') {
      const target = targetOf(file, token.attrGet('href') ?? '');
      isText = target === null;
      if (isText) return asText(token);
      token.attrSet('href', target ?? '');
    } else if (token.type === 'link_close' && isText) {
      isText = false;
      return asText(token);
    } else if (token.type === 'image') {
      const image = posix.join(dirname(file), token.attrGet('src') ?? '');
      const name = basename(image);
      if (!existsSync(join(ROOT, image))) throw new Error(`${file}: ${image} does not exist`);
      images.set(name, image);
      token.attrSet('src', relativeUrl(sources.get(file) ?? '', `assets/${name}`));
      token.attrSet('loading', 'lazy');
    }
    return token;
  };
}

function asText(token: Token): Token {
  token.tag = 'span';
  token.attrs = [];
  return token;
}

/** Returns the URL of a link in a file, or `null` if the site does not contain its target. */
function targetOf(file: string, href: string): string | null {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const page = sources.get(posix.join(dirname(file), decodeURI(path)));
  if (page === undefined) return null;
  const url = relativeUrl(sources.get(file) ?? '', page);
  return anchor === undefined ? url : `${url}#${anchor}`;
}
