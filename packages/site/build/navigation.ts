import { API, HOME } from './sources.ts';

/** A group of pages in the navigation. */
export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly path: string;
  /** Short title. Default: the heading of the page. */
  readonly title?: string;
}

/** A page that the first page presents. */
export interface FirstPage {
  readonly path: string;
  readonly purpose: string;
}

export const FIRST_PAGES: readonly FirstPage[] = [
  {
    path: 'guides/get-started',
    purpose: 'Start the service, upload documents, and put the assistant on a page.',
  },
  {
    path: 'guides/permissions',
    purpose: 'Teams, folders, tenants and exceptions as metadata and filters.',
  },
  { path: 'guides/send-events', purpose: 'Formats, limits, partial failures and retries.' },
  { path: 'guides/receive-events', purpose: 'Webhooks, the feed and the live stream.' },
  { path: 'guides/run-it', purpose: 'Choose a store, configure, back up, upgrade and monitor.' },
  { path: 'guides/keep-it-safe', purpose: 'What to configure and check before people use it.' },
];

const SECTIONS: readonly Section[] = [
  { title: 'Start here', entries: FIRST_PAGES.map(({ path }) => ({ path })) },
  {
    title: 'Assistant',
    entries: pages(
      'guides/console',
      'guides/command-line',
      'guides/embed',
      'guides/mcp',
      'guides/tools',
      'guides/synchronise-documents',
      'guides/crawler',
      'guides/records',
      'guides/conversations',
      'guides/handoff',
      'guides/manage-access',
    ),
  },
  { title: 'People', entries: pages('guides/accounts', 'guides/single-sign-on') },
  {
    title: 'Events',
    entries: pages('guides/sign-events', 'guides/publish-events', 'guides/other-languages'),
  },
  {
    title: 'Operate',
    entries: pages(
      'operations',
      'configuration',
      'guides/one-machine-to-many',
      'data-retention',
      'reliability',
      'benchmarks',
    ),
  },
  {
    title: 'Reference',
    entries: [
      { path: API, title: 'API reference' },
      { path: 'client', title: 'TypeScript client' },
      { path: 'filter', title: 'Filter language' },
      ...pages('glossary', 'changelog'),
      { path: 'licences', title: 'Licences' },
    ],
  },
  {
    title: 'Understand and change',
    entries: [
      ...pages('architecture', 'security'),
      { path: 'decisions', title: 'Decisions' },
      ...pages('filter-sql', 'fuzzing', 'contributing', 'security-policy'),
    ],
  },
];

/** Returns the navigation. Pages that it does not name, except decisions, are in an additional last section. */
export function navigation(paths: readonly string[]): readonly Section[] {
  const named = new Set(SECTIONS.flatMap(({ entries }) => entries.map(({ path }) => path)));
  const others = paths.filter(
    (path) => path !== HOME && !named.has(path) && !path.startsWith('decisions/'),
  );
  const rest = { title: 'More', entries: pages(...others) };
  return others.length === 0 ? SECTIONS : [...SECTIONS, rest];
}

function pages(...paths: readonly string[]): Entry[] {
  return paths.map((path) => ({ path }));
}
