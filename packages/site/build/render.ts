import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Eleventy from '@11ty/eleventy';
import { amendMarkdown, type Images, sourceOf } from './markdown.ts';
import { ROOT, readSources } from './sources.ts';

/** A rendered Markdown file. */
export interface Page {
  /** Path of the page, such as `guides/embed`. */
  readonly path: string;
  readonly title: string;
  readonly html: string;
}

/** Virtual folder of the Markdown files outside the input folder. */
const VIRTUAL = '~';

/** Renders all Markdown files with Eleventy, sorted by path. Adds the used images to `images`. */
export async function renderPages(images: Images): Promise<Page[]> {
  const sources = readSources();
  const directory = process.cwd();
  // Eleventy resolves its input folder from the working directory.
  process.chdir(ROOT);
  try {
    const eleventy = new Eleventy('docs', 'unused', {
      quietMode: true,
      config: (config) => {
        config.setTemplateFormats(['md']);
        config.ignores.add('docs/screenshots/**');
        config.amendLibrary('md', (markdown) => amendMarkdown(markdown, images));
        config.addGlobalData('eleventyComputed', () => ({
          permalink: ({ page }: Environment) => `/${sources.get(sourceOf({ page }))}.html`,
        }));
        for (const file of sources.keys())
          if (!file.startsWith('docs/'))
            config.addTemplate(`${VIRTUAL}/${file}`, readFileSync(join(ROOT, file), 'utf8'), {});
        return { markdownTemplateEngine: false };
      },
    });
    const rendered = await eleventy.toJSON();
    return rendered
      .map(({ inputPath, content }) => {
        const path = sources.get(sourceOf({ page: { inputPath } })) ?? inputPath;
        return { path, title: titleOf(content), html: content };
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  } finally {
    process.chdir(directory);
  }
}

type Environment = Parameters<typeof sourceOf>[0];

function titleOf(html: string): string {
  const [, heading = ''] = /<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html) ?? [];
  return heading
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
