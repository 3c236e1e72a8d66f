import { readdirSync, readFileSync } from 'node:fs';
import type { Collection, JudgedQuery, Passage } from './collection.ts';

const HANDBOOK = new URL('handbook/', import.meta.url);
const QUERIES = new URL('queries.tsv', import.meta.url);

/** Returns the collection that we wrote for this repository. Each passage is its own unit. */
export function handbook(): Collection {
  const passages = readPassages();
  return { name: 'handbook', passages, queries: readQueries(passages) };
}

/** Reads the passages of all files. Each file has the format `# title`, followed by passages with `## id: heading` and their text. */
function readPassages(): Passage[] {
  return readdirSync(HANDBOOK)
    .toSorted()
    .flatMap((name) => {
      const [first = '', ...sections] = readFileSync(new URL(name, HANDBOOK), 'utf8').split(
        '\n## ',
      );
      const title = first.replace(/^# /, '').trim();
      return sections.map((section) => {
        const [, id = '', heading = '', body = ''] = /^(\S+): (.*)\n([\s\S]*)$/.exec(section) ?? [];
        return { id, unit: id, title, heading, body: body.trim() };
      });
    });
}

/**
 * Reads the queries. Each line contains the text and its judgments (`2 passage-id`), separated by tabs.
 *
 * @throws Error if a judgment names an unknown passage.
 */
function readQueries(passages: readonly Passage[]): JudgedQuery[] {
  const known = new Set(passages.map(({ id }) => id));
  return readFileSync(QUERIES, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [text = '', ...judgments] = line.split('\t');
      const grades = judgments.map((judgment): [string, number] => {
        const [grade, id = ''] = judgment.split(' ');
        if (!known.has(id))
          throw new Error(`“${text}” judges ${id}, but this passage does not exist`);
        return [id, Number(grade)];
      });
      return { text, grades: new Map(grades) };
    });
}
