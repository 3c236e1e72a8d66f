import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guide } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, notFound, route } from '../../route.ts';
import { GUIDE_POLICY, guidePage } from './guide-page.ts';

const DOCS = join(import.meta.dirname, '../../../../../../docs');

/** The served files below `docs`, without `.md`. The Dockerfile copies the same files. */
export const GUIDE_FILES = [
  'guides/get-started',
  'guides/command-line',
  'guides/embed',
  'guides/manage-access',
  'guides/single-sign-on',
  'guides/accounts',
  'guides/conversations',
  'guides/synchronise-documents',
  'guides/send-events',
  'guides/sign-events',
  'guides/receive-events',
  'guides/publish-events',
  'guides/one-machine-to-many',
  'operations',
  'configuration',
  'data-retention',
  'glossary',
] as const;

const HEADERS = {
  'cache-control': 'public, max-age=60',
  'content-security-policy': GUIDE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/** Serves the guides at `/docs/guides/{name}`. A guide is read and rendered on its first request. */
export function registerGuides(app: FastifyInstance): void {
  const files = new Map(GUIDE_FILES.map((file) => [file.replace('guides/', ''), file]));
  const pages = new Map<string, Promise<string>>();

  const render = async (file: string) =>
    guidePage(await readFile(join(DOCS, `${file}.md`), 'utf8'), (name) => files.has(name));

  route(app, guide, {
    caller: anyone,
    async handle({ params: { name } }) {
      const file = files.get(name);
      if (file === undefined)
        throw notFound('http.not-found', 'No guide has this name; see / for a list of the guides.');
      let page = pages.get(name);
      if (page === undefined) {
        page = render(file);
        pages.set(name, page);
        page.catch(() => pages.delete(name));
      }
      return { status: 200, text: await page, headers: HEADERS };
    },
  });
}
