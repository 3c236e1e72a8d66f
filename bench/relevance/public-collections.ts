import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Collection } from './collection.ts';
import type { SectionPassage } from './public/sections.ts';

/** Returns a collection of the folder `public`. The judged units are sections. */
export function publicCollection(name: 'postgresql' | 'python'): Collection {
  const passages = linesOf(gunzipSync(read(`${name}.jsonl.gz`)).toString()).map((line, index) => {
    const { section, ...texts } = JSON.parse(line) as SectionPassage;
    return { id: String(index), unit: section, ...texts };
  });
  const queries = linesOf(read(`${name}.tsv`).toString()).map((line) => {
    const [text = '', ...sections] = line.split('\t');
    return { text, grades: new Map(sections.map((section) => [section, 2])) };
  });
  return { name, passages, queries };
}

function read(name: string): Buffer {
  return readFileSync(new URL(`public/${name}`, import.meta.url));
}

function linesOf(text: string): string[] {
  return text.trimEnd().split('\n');
}
