import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const ROOT = join(import.meta.dirname, '../..');
export const DEPLOY = join(ROOT, 'deploy');

/** A value of a YAML file, which nothing is known of. */
export type Mapping = Readonly<Record<string, unknown>>;

export function textOf(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8');
}

/** The one document of a YAML file, its anchors and merge keys resolved. */
export function yamlOf(path: string): Mapping {
  return parse(textOf(path), { merge: true }) as Mapping;
}

/** All documents of a YAML text. */
export function documentsOf(text: string): Mapping[] {
  return parseAllDocuments(text).map((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    return document.toJS() as Mapping;
  });
}

/** What lies at a path of members and indexes; undefined where nothing does. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, member) => (inner as Mapping | undefined)?.[member], value);
}
