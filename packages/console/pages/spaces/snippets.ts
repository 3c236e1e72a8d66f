/** The values that snippets contain. */
export interface SnippetValues {
  readonly url: string;
  readonly spaceId: string;
  /** A new API key, or null to read it from `GATEHOUSE_KEY`. */
  readonly key: string | null;
}

export type Language = 'curl' | 'typescript';

/** Returns the start of a program, which the other snippets need. */
export function setUp(language: Language, { url, key }: SnippetValues): string {
  return language === 'curl'
    ? `export GATEHOUSE_URL=${url}\nexport GATEHOUSE_KEY=${key ?? '<your API key>'}`
    : `import { Gatehouse } from '@gatehouse/client';\n\nconst gatehouse = new Gatehouse({\n  url: '${url}',\n  apiKey: ${key === null ? "process.env['GATEHOUSE_KEY']" : `'${key}'`},\n});`;
}

/** Returns a snippet that creates a link. */
export function createLink(language: Language, request: object): string {
  return language === 'curl'
    ? post('assistant-link', request)
    : `const { url } = await gatehouse.links.create(${toTypeScript(request)});`;
}

/** Returns a snippet that sends an event. */
export function sendEvent(language: Language): string {
  const event = {
    specversion: '1.0',
    id: 'order-1001-placed',
    source: 'https://shop.example/orders',
    type: 'example.order.placed',
    subject: 'order-1001',
    data: { total: 42 },
  };
  return language === 'curl'
    ? post('events', { events: [event] })
    : `await gatehouse.events.send([${toTypeScript(event)}]);`;
}

function post(path: string, body: object): string {
  const json = JSON.stringify(body, null, 2)
    .replaceAll('\n', '\n  ')
    .replaceAll("'", String.raw`'\''`);
  return [
    `curl "$GATEHOUSE_URL/${path}" \\`,
    `  -H "Authorization: Bearer $GATEHOUSE_KEY" -H 'Content-Type: application/json' \\`,
    `  -d '${json}'`,
  ].join('\n');
}

/** Returns a value as a TypeScript literal: names without quotation marks where possible. */
function toTypeScript(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  return json.replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}
