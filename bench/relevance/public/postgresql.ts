import type { Section } from './sections.ts';

const SECTION =
  /<div class="(?:sect\d|chapter|appendix|refsect\d|refsynopsisdiv|refentry)" id="([^"]+)"/g;
const HEADING = /<h[1-6][^>]*>(.*?)<\/h[1-6]>/s;
const ENTRY = /<dt[^>]*>(.*?)(?=<dt|<dd|<\/dd|<\/dl)/gs;
const LINK = /<a class="indexterm" href="([^"#]+)(?:#([^"]+))?">/g;

/** Last chapter of the parts that every user needs: tutorial, SQL language, server administration. */
const LAST_CHAPTER = 33;

/** Returns the sections of the first chapters. The ID of a section is the name of its page and the ID of its element. */
export function postgresSections(pages: ReadonlyMap<string, string>): Section[] {
  return [...pages].flatMap(([page, html]) => {
    const content = html.slice(0, html.search(/<div (?:xmlns="[^"]*" )?class="navfooter"/));
    const [, numbered = ''] = /<title>(.*?)<\/title>/s.exec(html) ?? [];
    const [, chapter = '', title = ''] =
      /^(?:Chapter )?(\d+)[\d.]*\.\s(.*)$/s.exec(textOf(numbered)) ?? [];
    if (chapter === '' || Number(chapter) > LAST_CHAPTER) return [];
    const starts = [...content.matchAll(SECTION)];
    return starts.map((match, index) => {
      const part = content.slice(match.index, starts[index + 1]?.index);
      const heading = HEADING.exec(part);
      const body = part.slice((heading?.index ?? 0) + (heading?.[0].length ?? 0));
      return {
        id: `${page}#${match[1]}`,
        title,
        heading: textOf(heading?.[1] ?? '').replace(/^(?:Chapter )?[\d.]+\s/, ''),
        paragraphs: paragraphsOf(body),
      };
    });
  });
}

/**
 * Returns the entries of the manual's index with the sections to which they point. Returns only entries of two to six words without
 * code, all of whose sections exist.
 */
export function postgresQueries(
  pages: ReadonlyMap<string, string>,
  sections: readonly Section[],
): Map<string, Set<string>> {
  const known = new Set(
    sections.filter(({ paragraphs }) => paragraphs.length > 0).map(({ id }) => id),
  );
  const queries = new Map<string, Set<string>>();
  for (const html of pages.values()) {
    let primary = '';
    for (const [entry, content = ''] of html.matchAll(ENTRY)) {
      const own = textOf(content.slice(0, content.search(/<a |$/))).replace(/,\s*$/, '');
      if (entry.startsWith('<dt id=')) primary = own;
      const text = primary === own ? own : `${primary} ${own}`;
      if (!/^[A-Za-z][a-z]+(?:[ -][A-Za-z]*[a-z]+){1,5}$/.test(text)) continue;
      if (/ (?:configuration parameter|environment variable)$/.test(text)) continue;
      const links = [...content.matchAll(LINK)].map(([, page = '', anchor]) =>
        sectionOf(page, anchor, known),
      );
      if (links.length === 0 || links.includes(null)) continue;
      const judged = queries.get(text) ?? new Set();
      for (const link of links) if (link !== null) judged.add(link);
      queries.set(text, judged);
    }
  }
  return queries;
}

/** Without an anchor, an entry points to the first section of the page. Entries that point to other elements are not used. */
function sectionOf(
  page: string,
  anchor: string | undefined,
  known: ReadonlySet<string>,
): string | null {
  const id = `${page}#${anchor}`;
  if (anchor !== undefined) return known.has(id) ? id : null;
  for (const one of known) if (one.startsWith(`${page}#`)) return one;
  return null;
}

function paragraphsOf(html: string): string[] {
  return html
    .split(/<\/?(?:p|pre|table|tr|li|dt|dd|h\d)\b[^>]*>/)
    .map(textOf)
    .filter((text) => text !== '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  nbsp: ' ',
};

function textOf(html: string): string {
  return html
    .replace(/<\/(?:td|th)>/g, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&(\w+);/g, (entity, name) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
