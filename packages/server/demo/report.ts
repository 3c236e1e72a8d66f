import { type Found, QUESTION } from './knowledge.ts';
import { ORDER_QUESTION, type Orders } from './orders.ts';

export interface Demonstrated {
  readonly url: string;
  /** Path of the example files, relative to the working directory. */
  readonly examples: string;
  readonly dataDir: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly space: Record<string, unknown>;
  readonly apiKey: string;
  readonly link: Record<string, unknown>;
  readonly staffLink: Record<string, unknown>;
  readonly documents: number;
  readonly asCustomer: readonly Found[];
  readonly asColleague: readonly Found[];
  readonly orders: Record<string, unknown>;
  readonly mixed: Record<string, unknown>;
  readonly ownOrders: Orders;
  readonly feed: Record<string, unknown>;
  /** Name of the model that answers, or `null` if answers are quoted from the documents. */
  readonly model: string | null;
  /** A one-time link that signs in to the console. */
  readonly consoleUrl: string;
  readonly keepsRunning: boolean;
}

/** Returns a summary of the demo with commands to repeat its steps. */
export function report(done: Demonstrated): string {
  const { url, examples, space, apiKey, orders, mixed } = done;
  const items = (done.feed['items'] as { event: { type: string; id: string } }[]) ?? [];
  return `
Gatehouse runs at ${url}

  1. signed in as ${done.admin.email} (password ${done.admin.password})
  2. created the space "${space['name']}" ${space['id']} with bot ${space['defaultBotId']}
  3. created an API key              ${apiKey}
  4. created two access links, for a customer and a colleague (see below)
  5. uploaded ${done.documents} documents from ${examples}/documents and searched for "${QUESTION}"

     with the customer's link (${examples}/access-link.json):
${found(done.asCustomer)}
     with the colleague's link (${examples}/staff-link.json):
${found(done.asColleague)}
  6. sent ${examples}/orders.events.json  ${outcome(orders)}
     sent ${examples}/mixed.events.json   ${outcome(mixed)}
${problems(mixed)}
  7. derived ${done.ownOrders.records} records from ${examples}/order-status.events.json and asked "${ORDER_QUESTION}"

     as the customer of order 1001 (${examples}/orders-link.json):
${found(done.ownOrders.ofCustomer)}
     as the customer of order 1002:
${found(done.ownOrders.ofOtherCustomer)}
     ${items.length} events are stored:
${items.map(({ event }) => `       ${event.type}  ${event.id}`).join('\n')}

Repeat the steps in another shell:

  GATEHOUSE_KEY=${apiKey}

  curl -s ${url}/assistant-link -H "Authorization: Bearer $GATEHOUSE_KEY" \\
    -H 'Content-Type: application/json' --data-binary @${examples}/access-link.json

  curl -s ${url}/spaces/${space['id']}/documents -H "Authorization: Bearer $GATEHOUSE_KEY" \\
    -F file=@${examples}/documents/returns.md -F 'metadata={"audience":["customers","staff"]}'

  curl -s ${url}/spaces/${space['id']}/search -H "Authorization: Bearer $GATEHOUSE_KEY" \\
    -H 'Content-Type: application/json' -d '{"query":"${QUESTION}"}'

  curl -s ${url}/events -H "Authorization: Bearer $GATEHOUSE_KEY" \\
    -H 'Content-Type: application/json' --data-binary @${examples}/orders.events.json

  curl -s "${url}/events?limit=10" -H "Authorization: Bearer $GATEHOUSE_KEY"

Documentation: ${url}/docs/   API reference: ${url}/docs/api   OpenAPI 3.1: ${url}/openapi.json
Data directory: ${done.dataDir}

Open both links and ask "May we refund after 30 days?". Only the colleague may see the rules that answer this:

  a customer's assistant    ${done.link['url']}
  a colleague's assistant   ${done.staffLink['url']}

Open the link of the customer of order 1001 and ask "${ORDER_QUESTION}". The assistant knows nothing about other orders:

  the customer's orders     ${done.ownOrders.link['url']}

${answers(done.model)}

Open the console with this link, which signs you in once within five minutes. After that, sign in at
${url}/console as ${done.admin.email} with the password above:

  ${done.consoleUrl}
${done.keepsRunning ? '\nPress Ctrl-C to stop.\n' : ''}`;
}

function answers(model: string | null): string {
  return model === null
    ? `No model is configured, so each assistant answers with sentences that it quotes from the documents that its link may see.
To let a model answer, stop the demo and set GATEHOUSE_MODEL_URL and GATEHOUSE_MODEL_NAME (and GATEHOUSE_MODEL_KEY if the API
needs a key).`
    : `The model ${model} answers. It receives the questions and only those passages that the link may see. To see answers
without a model, quoted from the documents, stop the demo and unset GATEHOUSE_MODEL_NAME and GATEHOUSE_MODEL_URL.`;
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
