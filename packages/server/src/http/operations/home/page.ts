import { PAGE_STYLE, staticPage, staticPagePolicy } from '../page-style.ts';

const STYLE = `${PAGE_STYLE}
ul { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 0.75rem; overflow: hidden; }
li { padding: 0.625rem 1rem; }
li + li { border-block-start: 1px solid var(--line); }
li span { display: block; color: var(--quiet); font-size: 0.875rem; }
`;

type Link = readonly [href: string, name: string, purpose: string];

const SERVICE: readonly Link[] = [
  ['docs', 'API reference', 'All operations, with examples. You can send requests from the page.'],
  [
    'openapi.json',
    'OpenAPI 3.1 document',
    'The same description as a file, for tools and generated clients.',
  ],
  ['readyz', 'Readiness', 'Reports whether this service can serve requests.'],
];

const GUIDES: readonly Link[] = [
  ['docs/guides/get-started', 'Get started', 'From the first sign-in to a search, with curl.'],
  ['docs/guides/embed', 'Embed the assistant', 'In your pages, with one script.'],
  ['docs/guides/manage-access', 'Manage access', 'Roles, API keys, access links, revocation.'],
  ['docs/guides/conversations', 'Read what users ask', 'Unanswered questions, corrected answers.'],
  [
    'docs/guides/synchronise-documents',
    'Synchronise documents',
    'From another system, with events.',
  ],
  ['docs/guides/send-events', 'Send events', 'Limits, partial failures and retries.'],
  ['docs/guides/sign-events', 'Sign events', 'Event sources and their secrets.'],
  ['docs/guides/receive-events', 'Receive events', 'Webhooks, the feed and the live stream.'],
  [
    'docs/guides/other-languages',
    'Other languages',
    'Links, events and webhooks in Python, Go, Java, PHP and Ruby.',
  ],
  ['docs/guides/publish-events', 'Publish events', 'To NATS JetStream or Kafka.'],
  ['docs/guides/operations', 'Operations', 'Deploy, back up, upgrade, monitor.'],
  ['docs/guides/configuration', 'Configuration', 'All settings with their defaults.'],
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
<h2>Guides</h2>
${list(GUIDES)}`,
);

export const HOME_POLICY = staticPagePolicy(STYLE);
