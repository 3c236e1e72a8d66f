import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const ROOT = join(import.meta.dirname, '../..');
export const DEPLOY = join(ROOT, 'deploy');

/** An unvalidated value of a YAML file. */
export type Mapping = Readonly<Record<string, unknown>>;

export function textOf(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8');
}

/** Parses a YAML file with one document and resolves anchors and merge keys. */
export function yamlOf(path: string): Mapping {
  return parse(textOf(path), { merge: true }) as Mapping;
}

/** Parses all documents of a YAML text. Throws on a syntax error. */
export function documentsOf(text: string): Mapping[] {
  return parseAllDocuments(text).map((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    return document.toJS() as Mapping;
  });
}

/** Returns the value at a path of members and indexes, or `undefined`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, member) => (inner as Mapping | undefined)?.[member], value);
}
