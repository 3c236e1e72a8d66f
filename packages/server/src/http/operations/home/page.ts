import { PAGE_STYLE, staticPage, staticPagePolicy } from '../page-style.ts';

const STYLE = `${PAGE_STYLE}
ul { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 0.75rem; overflow: hidden; }
li { padding: 0.625rem 1rem; }
li + li { border-block-start: 1px solid var(--line); }
li span { display: block; color: var(--quiet); font-size: 0.875rem; }
`;

type Link = readonly [href: string, name: string, purpose: string];

const SERVICE: readonly Link[] = [
  ['docs/', 'Documentation', 'Guides, settings, operations and decisions, with a search.'],
  [
    'docs/api',
    'API reference',
    'All operations, with examples. You can send requests from the page.',
  ],
  [
    'openapi.json',
    'OpenAPI 3.1 document',
    'The same description as a file, for tools and generated clients.',
  ],
  ['readyz', 'Readiness', 'Reports whether this service can serve requests.'],
];

const GUIDES: readonly Link[] = [
  [
    'docs/guides/get-started',
    'An assistant in your product in ten minutes',
    'Start the service, upload documents, and put the assistant on a page.',
  ],
  [
    'docs/guides/permissions',
    'Permissions: from your model to a filter',
    'Teams, folders, tenants and exceptions as metadata and filters.',
  ],
  ['docs/guides/send-events', 'Send events', 'Formats, limits, partial failures and retries.'],
  ['docs/guides/receive-events', 'Receive events', 'Webhooks, the feed and the live stream.'],
  ['docs/guides/run-it', 'Run it', 'Choose a store, configure, back up, upgrade and monitor.'],
  ['docs/guides/keep-it-safe', 'Keep it safe', 'What to configure and check before people use it.'],
];

function list(links: readonly Link[]): string {
  const items = links.map(
    ([href, name, purpose]) => `<li><a href="${href}">${name}</a><span>${purpose}</span></li>`,
  );
  return `<ul>\n${items.join('\n')}\n</ul>`;
}

/** The page at `/`. It is static, needs no script and loads no other files. */
export const HOME_PAGE = staticPage(
  'Gatehouse',
  STYLE,
  `<h1>Gatehouse is running</h1>
<p>This service creates access links to an assistant and ingests events. You use it through its API.</p>
<h2>This service</h2>
${list(SERVICE)}
<h2>First pages</h2>
${list(GUIDES)}`,
);

export const HOME_POLICY = staticPagePolicy(STYLE);
