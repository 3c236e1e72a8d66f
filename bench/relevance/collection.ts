import { readdirSync, readFileSync } from 'node:fs';

export interface Passage {
  readonly id: string;
  readonly title: string;
  readonly heading: string;
  readonly body: string;
}

export interface JudgedQuery {
  readonly text: string;
  /** How well a passage answers, by its id: 2 answers, 1 helps. What is not here does not. */
  readonly grades: ReadonlyMap<string, number>;
}

const HANDBOOK = new URL('handbook/', import.meta.url);
const QUERIES = new URL('queries.tsv', import.meta.url);

/** The passages of every file: `# title`, then for each passage `## id: heading` and its text. */
export function readPassages(): Passage[] {
  return readdirSync(HANDBOOK)
    .toSorted()
    .flatMap((name) => {
      const [first = '', ...sections] = readFileSync(new URL(name, HANDBOOK), 'utf8').split(
        '\n## ',
      );
      const title = first.replace(/^# /, '').trim();
      return sections.map((section) => {
        const [, id = '', heading = '', body = ''] = /^(\S+): (.*)\n([\s\S]*)$/.exec(section) ?? [];
        return { id, title, heading, body: body.trim() };
      });
    });
}

/**
 * The queries: a line each, its text and its judgments (`2 passage-id`) with tabs between them.
 *
 * @throws Error for a judgment of a passage that is not in the collection.
 */
export function readQueries(passages: readonly Passage[]): JudgedQuery[] {
  const known = new Set(passages.map(({ id }) => id));
  return readFileSync(QUERIES, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [text = '', ...judgments] = line.split('\t');
      const grades = judgments.map((judgment): [string, number] => {
        const [grade, id = ''] = judgment.split(' ');
        if (!known.has(id)) throw new Error(`“${text}” judges ${id}, which is no passage`);
        return [id, Number(grade)];
      });
      return { text, grades: new Map(grades) };
    });
}
