import { type Found, QUESTION } from './knowledge.ts';

export interface Demonstrated {
  readonly url: string;
  /** The folder of the example files, as the reader's shell finds it. */
  readonly examples: string;
  readonly dataDir: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly space: Record<string, unknown>;
  readonly apiKey: string;
  /** A customer's. */
  readonly link: Record<string, unknown>;
  readonly staffLink: Record<string, unknown>;
  /** How many were uploaded. */
  readonly documents: number;
  /** What the same search gave two links. */
  readonly asCustomer: readonly Found[];
  readonly asColleague: readonly Found[];
  readonly orders: Record<string, unknown>;
  readonly mixed: Record<string, unknown>;
  readonly feed: Record<string, unknown>;
  readonly stays: boolean;
}

/** What the demo did, and how to do it again by hand. */
export function report(done: Demonstrated): string {
  const { url, examples, space, apiKey, orders, mixed } = done;
  const items = (done.feed['items'] as { event: { type: string; id: string } }[]) ?? [];
  return `
Gatehouse runs at ${url}

  1. signed in as ${done.admin.email} (password ${done.admin.password})
  2. made the space "${space['name']}" ${space['id']} with bot ${space['defaultBotId']}
  3. made an API key for it         ${apiKey}
  4. created two access links, a customer's and a colleague's (see the end)
  5. put in ${done.documents} documents from ${examples}/documents, and searched for "${QUESTION}"

     with the link of ${examples}/access-link.json, a customer's:
${found(done.asCustomer)}
     with the link of ${examples}/staff-link.json, a colleague's:
${found(done.asColleague)}
  6. sent ${examples}/orders.events.json  ${outcome(orders)}
     sent ${examples}/mixed.events.json   ${outcome(mixed)}
${problems(mixed)}
     the feed now holds ${items.length} events:
${items.map(({ event }) => `       ${event.type}  ${event.id}`).join('\n')}

Do it again:

  export GATEHOUSE_KEY=${apiKey}

  curl -s ${url}/assistant-link -H "Authorization: Bearer $GATEHOUSE_KEY" \\
    -H 'Content-Type: application/json' --data-binary @${examples}/access-link.json

  curl -s ${url}/spaces/${space['id']}/documents -H "Authorization: Bearer $GATEHOUSE_KEY" \\
    -F file=@${examples}/documents/returns.md -F 'metadata={"audience":["customers","staff"]}'

  curl -s ${url}/spaces/${space['id']}/search -H "Authorization: Bearer $GATEHOUSE_KEY" \\
    -H 'Content-Type: application/json' -d '{"query":"${QUESTION}"}'

  curl -s ${url}/events -H "Authorization: Bearer $GATEHOUSE_KEY" \\
    -H 'Content-Type: application/json' --data-binary @${examples}/orders.events.json

  curl -s "${url}/events?limit=10" -H "Authorization: Bearer $GATEHOUSE_KEY"

The API reference: ${url}/docs   as OpenAPI 3.1: ${url}/openapi.json
The data directory: ${done.dataDir}

Open these two and ask both the same, such as "May we refund after 30 days?":

  a customer's assistant    ${done.link['url']}
  a colleague's assistant   ${done.staffLink['url']}

They answer by quoting what each of them may see; with GATEHOUSE_MODEL_URL and GATEHOUSE_MODEL_NAME a model answers.
${done.stays ? '\nIt stays up until Ctrl-C.\n' : ''}`;
}

function found(passages: readonly Found[]): string {
  return passages
    .map(
      ({ fileName, heading, snippet }) => `       ${fileName}, ${heading ?? 'no heading'}
         ${snippet.replaceAll('\n', ' ').slice(0, 100)}
`,
    )
    .join('');
}

function outcome(result: Record<string, unknown>): string {
  return `→ processed ${result['processed']}, failed ${result['failed']}`;
}

function problems(result: Record<string, unknown>): string {
  const errors = (result['errors'] as { index: number; error: string }[] | undefined) ?? [];
  return errors.map(({ index, error }) => `       event ${index}: ${error}\n`).join('');
}
