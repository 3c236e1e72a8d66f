import { MAX_PAGE_URL_LENGTH } from '@gatehouse/contract';
import { Parser } from 'htmlparser2';
import { slicesOf } from './pauses.ts';
import { metaDirectives } from './robots-directives.rules.ts';
import { canonicalUrl } from './url.rules.ts';

/** Maximum number of links that are read from one page, without duplicates. */
const MAX_LINKS = 2000;
/** Maximum number of elements with links that are read from one page. */
const MAX_ANCHORS = 10_000;

/** Elements in which `Parser` switches between the syntax of HTML and of SVG or MathML, and `noscript`. */
const NESTED_ELEMENTS = new Set(
  'svg math mi mo mn ms mtext annotation-xml foreignObject desc title noscript'.split(' '),
);
/** Maximum depth of nested elements of `NESTED_ELEMENTS`. */
const MAX_DEPTH = 100;
/** Characters that are parsed without a pause. */
const SLICE = 16 * 1024;

/** A refresh after more seconds, such as at the end of a session, is not a redirect. */
const MAX_REFRESH_SECONDS = 10;
/** Seconds and URL of a refresh. The URL can be in quotes. */
const REFRESH = /^\s*(\d+)(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is;

const CANONICAL = /(?:^|\s)canonical(?:\s|$)/i;
const NOFOLLOW = /(?:^|\s)nofollow(?:\s|$)/i;

/**
 * A parser whose stack of open elements contains only `NESTED_ELEMENTS`. The time that `Parser` takes for a tag grows with the size of
 * this stack.
 */
class FlatParser extends Parser {
  protected override isVoidElement(name: string): boolean {
    return !NESTED_ELEMENTS.has(name);
  }
}

export interface PageLinks {
  /** Canonical URLs, without duplicates, in the order of the page. Empty if the page forbids to follow its links. */
  readonly links: readonly string[];
  /** The canonical URL that the page declares, or null. */
  readonly canonical: string | null;
  /** The canonical URL to which `<meta http-equiv="refresh">` redirects browsers that run scripts, or null. */
  readonly refresh: string | null;
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
  let depth = 0;
  let canonical: string | null = null;
  let refresh: string | null = null;
  let noscripts = 0;
  const metas: [string, string][] = [];
  const parser = new FlatParser({
    onopentag: (name, attributes) => {
      const { href } = attributes;
      if (NESTED_ELEMENTS.has(name)) {
        depth += 1;
        if (name === 'noscript') noscripts += 1;
        if (depth > MAX_DEPTH) parser.pause();
      } else if (name === 'base' && href !== undefined) base = baseOf(href, url);
      else if (name === 'meta') {
        const { content = '' } = attributes;
        metas.push([attributes['name'] ?? '', content]);
        if (noscripts === 0 && attributes['http-equiv']?.toLowerCase() === 'refresh')
          refresh ??= refreshTarget(content, base);
      } else if (name === 'link' && href !== undefined) {
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
      if (NESTED_ELEMENTS.has(name)) depth -= 1;
      if (name === 'noscript') noscripts -= 1;
    },
  });
  for await (const slice of slicesOf(html, SLICE)) {
    if (depth > MAX_DEPTH) break;
    parser.write(slice);
  }
  parser.end();
  const { noindex, nofollow } = metaDirectives(metas);
  return { links: nofollow ? [] : [...links], canonical, refresh, noindex };
}

/** Returns the canonical URL of a refresh, or null if the refresh has no usable target or comes late. */
function refreshTarget(content: string, base: string): string | null {
  const [, seconds, ...targets] = REFRESH.exec(content) ?? [];
  const target = targets.find((text) => text !== undefined)?.trim() ?? '';
  if (target === '' || Number(seconds) > MAX_REFRESH_SECONDS) return null;
  return canonicalUrl(target, base);
}

/** Returns the URL that resolves the links of a page: that of `<base>`, unless it is invalid or too long. */
function baseOf(href: string, url: string): string {
  const base = href.length > MAX_PAGE_URL_LENGTH ? null : URL.parse(href, url);
  return base === null || base.href.length > MAX_PAGE_URL_LENGTH ? url : base.href;
}
