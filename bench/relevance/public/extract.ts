// Creates the files of this folder from the unpacked Debian packages postgresql-doc-15 and python3.11-doc; see ../README.md. The
// arguments are the folders of the HTML pages of PostgreSQL and of the reStructuredText sources of Python.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { postgresQueries, postgresSections } from './postgresql.ts';
import { pythonQueries, pythonSections } from './python.ts';
import { type Section, toPassages } from './sections.ts';

const [postgres = '', python = ''] = process.argv.slice(2);

const manual = postgresSections(filesOf(postgres, /^(?!release|sql-|app-|bookindex).*\.html$/));
write('postgresql', manual, postgresQueries(filesOf(postgres, /^bookindex\.html$/), manual));

const documents = ['faq', 'tutorial', 'howto'].flatMap((folder) =>
  pythonSections(folder, filesOf(join(python, folder), /^(?!index).*\.rst\.txt$/)),
);
write('python', documents, pythonQueries(documents));

function filesOf(folder: string, names: RegExp): ReadonlyMap<string, string> {
  const found = readdirSync(folder).filter((name) => names.test(name));
  return new Map(found.toSorted().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function write(
  name: string,
  sections: readonly Section[],
  queries: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const passages = sections.flatMap(toPassages);
  const lines = passages.map((passage) => `${JSON.stringify(passage)}\n`);
  writeFileSync(
    new URL(`${name}.jsonl.gz`, import.meta.url),
    gzipSync(lines.join(''), { level: 9 }),
  );
  const rows = [...queries].map(([text, judged]) => `${[text, ...judged].join('\t')}\n`);
  writeFileSync(new URL(`${name}.tsv`, import.meta.url), rows.join(''));
  console.log(
    `${name}: ${sections.length} sections, ${passages.length} passages, ${rows.length} queries`,
  );
}
