import { MAX_PAGE_URL_LENGTH } from '@gatehouse/contract';
import { Parser } from 'htmlparser2';
import { slicesOf } from './pauses.ts';
import { metaDirectives } from './robots-directives.rules.ts';
import { canonicalUrl } from './url.rules.ts';

/** Maximum number of links that are read from one page, without duplicates. */
const MAX_LINKS = 2000;
/** Maximum number of elements with links that are read from one page. */
const MAX_ANCHORS = 10_000;

/** Elements in which `Parser` switches between the syntax of HTML and of SVG or MathML. */
const SYNTAX_ELEMENTS = new Set(
  'svg math mi mo mn ms mtext annotation-xml foreignObject desc title'.split(' '),
);
/** Maximum depth of nested elements of `SYNTAX_ELEMENTS`. */
const MAX_SYNTAX_DEPTH = 100;
/** Characters that are parsed without a pause. */
const SLICE = 16 * 1024;

const CANONICAL = /(?:^|\s)canonical(?:\s|$)/i;
const NOFOLLOW = /(?:^|\s)nofollow(?:\s|$)/i;

/**
 * A parser whose stack of open elements contains only `SYNTAX_ELEMENTS`. The time that `Parser` takes for a tag grows with the size of
 * this stack.
 */
class FlatParser extends Parser {
  protected override isVoidElement(name: string): boolean {
    return !SYNTAX_ELEMENTS.has(name);
  }
}

export interface PageLinks {
  /** Canonical URLs, without duplicates, in the order of the page. Empty if the page forbids to follow its links. */
  readonly links: readonly string[];
  /** The canonical URL that the page declares, or null. */
  readonly canonical: string | null;
  /** True if the page must not become a document. */
  readonly noindex: boolean;
}

/**
 * Reads the links and the directives for robots of an HTML page, with pauses in which other work of the process continues.
 *
 * @param url URL of the page, which resolves relative links.
 */
export async function readPageLinks(html: string, url: string): Promise<PageLinks> {
  const links = new Set<string>();
  let base = url;
  let anchors = 0;
  let syntaxDepth = 0;
  let canonical: string | null = null;
  const metas: [string, string][] = [];
  const parser = new FlatParser({
    onopentag: (name, attributes) => {
      const { href } = attributes;
      if (SYNTAX_ELEMENTS.has(name)) {
        syntaxDepth += 1;
        if (syntaxDepth > MAX_SYNTAX_DEPTH) parser.pause();
      } else if (name === 'base' && href !== undefined) base = baseOf(href, url);
      else if (name === 'meta') metas.push([attributes['name'] ?? '', attributes['content'] ?? '']);
      else if (name === 'link' && href !== undefined) {
        if (CANONICAL.test(attributes['rel'] ?? '')) canonical ??= canonicalUrl(href, base);
      } else if ((name === 'a' || name === 'area') && href !== undefined) {
        anchors += 1;
        if (
          links.size >= MAX_LINKS ||
          anchors > MAX_ANCHORS ||
          NOFOLLOW.test(attributes['rel'] ?? '')
        )
          return;
        const link = canonicalUrl(href, base);
        if (link !== null) links.add(link);
      }
    },
    onclosetag: (name) => {
      if (SYNTAX_ELEMENTS.has(name)) syntaxDepth -= 1;
    },
  });
  for await (const slice of slicesOf(html, SLICE)) {
    if (syntaxDepth > MAX_SYNTAX_DEPTH) break;
    parser.write(slice);
  }
  parser.end();
  const { noindex, nofollow } = metaDirectives(metas);
  return { links: nofollow ? [] : [...links], canonical, noindex };
}

/** Returns the URL that resolves the links of a page: that of `<base>`, unless it is invalid or too long. */
function baseOf(href: string, url: string): string {
  const base = href.length > MAX_PAGE_URL_LENGTH ? null : URL.parse(href, url);
  return base === null || base.href.length > MAX_PAGE_URL_LENGTH ? url : base.href;
}
