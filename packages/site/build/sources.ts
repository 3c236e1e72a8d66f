import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** Markdown files outside `docs`, by the path of their page. */
const OTHERS: Readonly<Record<string, string>> = {
  'packages/client/README.md': 'client',
  'packages/filter/README.md': 'filter',
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'SECURITY.md': 'security-policy',
};

export const HOME = 'index';
/** Path of the API reference. The service serves this page; the site links to it. */
export const API = 'api';

/** Returns the Markdown files of the site and the paths of their pages, such as `guides/embed`. Both are relative, to the repository and to the site. */
export function readSources(): Map<string, string> {
  const docs = globSync('docs/{*,guides/*,decisions/*}.md', { cwd: ROOT }).sort();
  return new Map([
    ...docs.map((file): [string, string] => [file, pathOf(file)]),
    ...Object.entries(OTHERS),
  ]);
}

function pathOf(file: string): string {
  if (file === 'docs/README.md') return HOME;
  return file.replace(/^docs\//, '').replace(/(\/README)?\.md$/, '');
}

/** Returns a URL of a page or file of the site, relative to the page at `from`. */
export function relativeUrl(from: string, to: string): string {
  const up = '../'.repeat(from.split('/').length - 1);
  return to === HOME ? up || './' : `${up}${to}`;
}
