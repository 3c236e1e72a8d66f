import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { Repository } from './repository.ts';

/** Where an import leads. `file` is a path of ours, and `undefined` when nothing stands there. */
export type Target =
  | { readonly kind: 'ours'; readonly file: string | undefined; readonly packageName?: string }
  | { readonly kind: 'foreign'; readonly packageName: string }
  | { readonly kind: 'builtin'; readonly packageName: string };

/** Follows a specifier from the file that has it. */
export function resolveImport(repository: Repository, from: string, specifier: string): Target {
  if (/^\.{0,2}\//.test(specifier)) {
    const file = posix.join(posix.dirname(from), specifier);
    return { kind: 'ours', file: file.startsWith('..') ? undefined : file };
  }
  if (isBuiltin(specifier)) return { kind: 'builtin', packageName: specifier };
  const packageName = nameOf(specifier);
  const workspace = repository.workspaces.find(({ name }) => name === packageName);
  if (workspace === undefined) return { kind: 'foreign', packageName };
  const part = `.${specifier.slice(packageName.length)}`;
  return { kind: 'ours', file: workspace.exports.get(part), packageName };
}

/** `@scope/name/part` → `@scope/name`. */
function nameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
