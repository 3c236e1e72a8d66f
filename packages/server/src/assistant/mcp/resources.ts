import { ApiError, type Passage, UUID_PATTERN } from '@gatehouse/contract';
import type {
  ListResourcesResult,
  McpServer,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { Documents } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { textOf } from './passage-text.rules.ts';
import type { McpServerDeps, Registration, Sdk } from './registration.ts';

/** Maximum passages of a resource. The tool `read` returns the rest of a longer document. */
const PASSAGES_PER_RESOURCE = 400;
const UUID = new RegExp(UUID_PATTERN);
const RESOURCE_PREFIX = 'gatehouse://documents/';

/** Registers the documents as resources. The handlers replace those of `McpServer`, which cannot list resources in pages. */
export function registerResources(
  { ProtocolError, ResourceNotFoundError }: Sdk,
  { server }: McpServer,
  { deps: { documents }, scope, onFailure }: Registration,
): void {
  const reported = <T>(reading: Promise<T>): Promise<T> =>
    reading.catch((error: unknown) => {
      if (!(error instanceof ApiError || error instanceof ProtocolError)) onFailure(error);
      throw error;
    });
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/list', async ({ params }): Promise<ListResourcesResult> => {
    const cursor = params?.cursor;
    const after = cursor === undefined ? {} : { after: cursor };
    const page = await reported(documents.list(scope, { state: 'ready', ...after }));
    const resources = page.items.map(({ id, fileName, title }) => ({
      uri: `${RESOURCE_PREFIX}${id}`,
      name: fileName,
      title,
      mimeType: 'text/plain',
    }));
    return { resources, ...(page.next === null ? {} : { nextCursor: page.next }) };
  });
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: `${RESOURCE_PREFIX}{documentId}`,
        name: 'document',
        title: 'Document',
        description: 'The text of a document.',
        mimeType: 'text/plain',
      },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params }): Promise<ReadResourceResult> => {
    const { uri } = params;
    const text = await reported(textOfResource(documents, scope, uri));
    if (text === null) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: 'text/plain', text }] };
  });
}

/** Returns the text of a document, or null if there is no such document in the scope. */
async function textOfResource(
  documents: McpServerDeps['documents'],
  scope: KnowledgeScope,
  uri: string,
): Promise<string | null> {
  const id = uri.startsWith(RESOURCE_PREFIX) ? uri.slice(RESOURCE_PREFIX.length) : '';
  if (!UUID.test(id)) return null;
  try {
    const passages: Passage[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<Documents['passages']>> = await documents.passages(
        scope,
        id,
        after === null ? {} : { after },
      );
      passages.push(...page.items);
      after = page.next;
    } while (after !== null && passages.length < PASSAGES_PER_RESOURCE);
    const rest =
      after === null ? '' : `\n\n[The tool \`read\` with after=${after} returns the rest.]`;
    return `${textOf(passages)}${rest}`;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
