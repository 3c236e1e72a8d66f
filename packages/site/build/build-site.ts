import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import type { SearchPage } from '../theme/search-section.ts';
import type { Images } from './markdown.ts';
import { navigation } from './navigation.ts';
import { pageDocument, type Site } from './page.ts';
import { renderPages } from './render.ts';
import { operationSections, sectionsOf } from './sections.ts';
import { ROOT } from './sources.ts';

/** These pages repeat other pages or are generated. The search index contains only their headings. */
const HEADINGS_ONLY: ReadonlySet<string> = new Set(['changelog', 'filter-sql', 'licences']);
const THEME = join(import.meta.dirname, '../theme');

/** Returns all files of the site, by path. Equal sources give equal bytes. */
export async function buildSite(): Promise<Map<string, Buffer>> {
  const images: Images = new Map();
  const [pages, assets] = await Promise.all([renderPages(images), buildAssets()]);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const searched = pages.map((page) =>
    HEADINGS_ONLY.has(page.path) ? withoutText(sectionsOf(page)) : sectionsOf(page),
  );
  const index = Buffer.from(JSON.stringify([...searched, operationSections()]));
  const site: Site = {
    navigation: navigation(pages.map(({ path }) => path)),
    titles: new Map(pages.map(({ path, title }) => [path, title])),
    version,
    assets: {
      style: nameOf(assets, /^style-.*\.css$/),
      theme: nameOf(assets, /^theme-.*\.js$/),
      script: nameOf(assets, /^main-.*\.js$/),
    },
    index: `search-${hashOf(index)}.json`,
  };
  return new Map([
    ...pages.map((page): [string, Buffer] => [
      `${page.path}.html`,
      Buffer.from(pageDocument(page, site)),
    ]),
    ...[...assets].map(([name, bytes]): [string, Buffer] => [`assets/${name}`, bytes]),
    ...[...images].map(([name, file]): [string, Buffer] => [
      `assets/${name}`,
      readFileSync(join(ROOT, file)),
    ]),
    ['assets/icon.svg', readFileSync(join(THEME, 'icon.svg'))],
    [`assets/${site.index}`, index],
  ]);
}

function withoutText({ sections, ...page }: SearchPage): SearchPage {
  return { ...page, sections: sections.map(([id, heading]) => [id, heading, ''] as const) };
}

/** Bundles the scripts and styles of the pages. File names contain a hash of the content. */
async function buildAssets(): Promise<Map<string, Buffer>> {
  const result = await build({
    root: THEME,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
      modulePreload: false,
      cssCodeSplit: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { main: join(THEME, 'main.ts'), theme: join(THEME, 'theme.ts') },
        output: {
          entryFileNames: '[name]-[hash].js',
          chunkFileNames: '[name]-[hash].js',
          assetFileNames: '[name]-[hash][extname]',
        },
      },
    },
  });
  // With this configuration, Vite returns one output, not a list or a watcher.
  if (!('output' in result)) throw new Error('Vite returned no output');
  return new Map(
    result.output.map((file) => [
      file.fileName,
      Buffer.from(file.type === 'chunk' ? file.code : file.source),
    ]),
  );
}

function nameOf(assets: ReadonlyMap<string, unknown>, form: RegExp): string {
  const name = [...assets.keys()].find((file) => form.test(file));
  if (name === undefined) throw new Error(`the build has no file ${form}`);
  return name;
}

/** Returns eight characters that change with the content. */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 8);
}
