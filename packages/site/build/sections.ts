import { openApiDocument } from '@gatehouse/contract';
import type { SearchPage } from '../theme/search-section.ts';
import type { Page } from './render.ts';
import { API } from './sources.ts';

const HEADING = /<h([1-4]) id="([^"]+)">([\s\S]*?)<\/h\1>/g;

/** Returns the sections of a page, each with the text below its heading. */
export function sectionsOf({ path, title, html }: Page): SearchPage {
  const headings = [...html.matchAll(HEADING)];
  const sections = headings.map(
    ({ index, 0: { length }, 1: level, 2: id = '', 3: heading = '' }, at) => {
      const text = textOf(html.slice(index + length, headings[at + 1]?.index));
      return [level === '1' ? '' : id, textOf(withoutAnchor(heading)), text] as const;
    },
  );
  return { path, title, sections };
}

/** Returns the headings of level 2 and 3, for the contents of a page. */
export function contentsOf(html: string): { level: number; id: string; text: string }[] {
  return [...html.matchAll(HEADING)]
    .map(([, level = '', id = '', heading = '']) => ({
      level: Number(level),
      id,
      text: withoutAnchor(heading),
    }))
    .filter(({ level }) => level === 2 || level === 3)
    .map((heading) => ({ ...heading, text: heading.text.replace(/<\/?(a|span)\b[^>]*>/g, '') }));
}

/** Returns one section per operation of the API. Its URL opens the operation in the API reference. */
export function operationSections(): SearchPage {
  const { paths } = openApiDocument({ baseUrl: '/', version: '' });
  const sections = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, { operationId, summary, description = '', tags }]) =>
        [
          `tag/${slugOf(tags[0] ?? '')}/${operationId}`,
          summary,
          `${method.toUpperCase()} ${path}. ${description}`,
        ] as const,
    ),
  );
  return { path: API, title: 'API reference', sections };
}

/** Returns the name of a tag as Scalar writes it in URLs. */
function slugOf(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z]+/g, '-');
}

function withoutAnchor(heading: string): string {
  return heading.replace(/<a class="anchor"[\s\S]*?<\/a>/, '');
}

function textOf(html: string): string {
  return html
    .replace(/<svg[\s\S]*?<\/svg>|<div class="code-head">[\s\S]*?<\/div>/g, ' ')
    .replace(/<\/(?:p|li|td|th|tr|pre|h\d)>|<br>/g, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/&(?:#(\d+)|amp|lt|gt|quot);/g, (entity, code) =>
      code === undefined ? (ENTITIES[entity] ?? '') : String.fromCodePoint(Number(code)),
    )
    .replace(/\s+/g, ' ')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};
