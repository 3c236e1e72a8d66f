import type { Section } from './sections.ts';

const UNDERLINE = /^([=\-*^~"'#+])\1{2,}$/;
const ROLE = /:[\w:+-]+:`([^`]+)`/g;

/**
 * Returns the sections of Python's documentation, without headings. The headings of the FAQ are the queries. If only the other sections had
 * headings, the ranking would favour these sections.
 */
export function pythonSections(folder: string, pages: ReadonlyMap<string, string>): Section[] {
  return [...pages].flatMap(([page, source]) => {
    const lines = source.split('\n');
    const sections: { heading: string; underline: string; lines: string[] }[] = [];
    for (const [index, line] of lines.entries()) {
      const next = lines[index + 1] ?? '';
      if (
        line.trim() !== '' &&
        !/^\s|^\.\. /.test(line) &&
        UNDERLINE.test(next) &&
        next.length + 2 >= line.length
      )
        sections.push({ heading: textOf(line), underline: next.charAt(0), lines: [] });
      else if (!UNDERLINE.test(line)) sections.at(-1)?.lines.push(line);
    }
    const title = sections[0]?.heading ?? page;
    return sections.map(({ heading, lines: own }) => {
      return {
        id: `${folder}/${page}#${heading}`,
        title,
        heading: '',
        paragraphs: paragraphsOf(own),
      };
    });
  });
}

/** Returns the questions of the FAQ, each with the section that answers it. */
export function pythonQueries(sections: readonly Section[]): Map<string, Set<string>> {
  const questions = sections.filter(
    ({ id, paragraphs }) => /^faq\/.*\?$/.test(id) && paragraphs.length > 0,
  );
  return new Map(questions.map(({ id }) => [id.slice(id.indexOf('#') + 1), new Set([id])]));
}

function paragraphsOf(lines: readonly string[]): string[] {
  return lines
    .filter((line) => !/^\s*\.\. |^\s+:\w+:/.test(line))
    .join('\n')
    .split(/\n\s*\n/)
    .map(textOf)
    .filter((text) => text !== '');
}

function textOf(source: string): string {
  return source
    .replace(ROLE, (_, content: string) => content.replace(/\s*<[^>]*>$/, '').replace(/^[~!]/, ''))
    .replace(/`([^`<]+?)\s*<[^>]+>`__?/g, '$1')
    .replace(/``|\*\*|::\s*$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
