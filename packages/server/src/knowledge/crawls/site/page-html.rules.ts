import { MAX_PAGE_URL_LENGTH } from '@gatehouse/contract';
import { Parser } from 'htmlparser2';
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
 * Reads the links and the directives for robots of an HTML page.
 *
 * @param url URL of the page, which resolves relative links.
 */
export function readPageLinks(html: string, url: string): PageLinks {
  const links = new Set<string>();
  let base = url;
  let anchors = 0;
  let syntaxDepth = 0;
  let canonical: string | null = null;
  const directives = new Set<string>();
  const relations = (attributes: Readonly<Record<string, string>>) =>
    (attributes['rel'] ?? '').toLowerCase().split(/\s+/);
  const parser = new FlatParser({
    onopentag: (name, attributes) => {
      const { href } = attributes;
      if (SYNTAX_ELEMENTS.has(name)) {
        syntaxDepth += 1;
        if (syntaxDepth > MAX_SYNTAX_DEPTH) parser.pause();
      } else if (name === 'base' && href !== undefined) base = baseOf(href, url);
      else if (name === 'meta') {
        if (/^(robots|gatehouse-crawler)$/i.test(attributes['name'] ?? ''))
          for (const directive of directivesOf(attributes['content'])) directives.add(directive);
      } else if (name === 'link' && href !== undefined) {
        if (relations(attributes).includes('canonical')) canonical ??= canonicalUrl(href, base);
      } else if ((name === 'a' || name === 'area') && href !== undefined) {
        anchors += 1;
        if (
          links.size >= MAX_LINKS ||
          anchors > MAX_ANCHORS ||
          relations(attributes).includes('nofollow')
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
  parser.end(html);
  const isForbidden = (directive: string) => directives.has(directive) || directives.has('none');
  return {
    links: isForbidden('nofollow') ? [] : [...links],
    canonical,
    noindex: isForbidden('noindex'),
  };
}

/** Returns the URL that resolves the links of a page: that of `<base>`, unless it is invalid or too long. */
function baseOf(href: string, url: string): string {
  const base = href.length > MAX_PAGE_URL_LENGTH ? null : URL.parse(href, url);
  return base === null || base.href.length > MAX_PAGE_URL_LENGTH ? url : base.href;
}

/** Returns the lower-case directives of a `robots` meta element or an `X-Robots-Tag` header for all robots. */
export function directivesOf(text: string | undefined): string[] {
  return (text ?? '').toLowerCase().split(/[\s,]+/);
}
