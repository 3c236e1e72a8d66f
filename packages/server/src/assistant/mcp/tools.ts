import { ApiError, MAX_QUERY_LENGTH, SEARCH_LIMIT, Uuid } from '@gatehouse/contract';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import Type from 'typebox';
import { toMetadata } from '../../knowledge/index.ts';
import { textOf } from './passage-text.rules.ts';
import type { Registration, Sdk } from './registration.ts';

/** Passages per page of the tool `read`. */
const PASSAGES_PER_READ = 40;

const SearchInput = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: MAX_QUERY_LENGTH,
    description: 'Words in any language. Words in double quotes must be adjacent.',
  }),
  limit: Type.Optional(
    Type.Integer({ ...SEARCH_LIMIT, description: 'Maximum number of passages. Default 10.' }),
  ),
});

const ReadInput = Type.Object({
  documentId: Uuid('ID of a document, from `search` or from the list of resources.'),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: '`next` of the previous part. Omitted: the start of the document.',
    }),
  ),
});

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

export function registerTools(
  sdk: Sdk,
  server: McpServer,
  { deps: { documents, search }, scope, signal, onFailure }: Registration,
): void {
  const result = resultOf(onFailure);
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description:
        'Searches the documents that the user may see. Returns passages, best match first.',
      inputSchema: sdk.fromJsonSchema<Type.Static<typeof SearchInput>>(SearchInput),
      annotations: READ_ONLY,
    },
    (request) =>
      result(async () => {
        const found = await search(scope, request, signal);
        const items = found.map(({ documentId: id, title, url, heading, position, text }) => ({
          documentId: id,
          title,
          url,
          heading,
          position,
          text,
        }));
        return { items };
      }),
  );
  server.registerTool(
    'records',
    {
      title: 'Find records',
      description:
        'Finds the current state and the history of records, such as orders, by identifier or by words. Considers the 50 best matches of a search.',
      inputSchema: sdk.fromJsonSchema<Type.Static<typeof SearchInput>>(SearchInput),
      annotations: READ_ONLY,
    },
    ({ query, limit = SEARCH_LIMIT.default }) =>
      result(async () => {
        const found = await search(scope, { query, limit: SEARCH_LIMIT.maximum }, signal);
        const records = found.filter(({ projectionId }) => projectionId !== null);
        const items = records.slice(0, limit).map(({ documentId: id, title, text, metadata }) => ({
          documentId: id,
          title,
          text,
          metadata: toMetadata(metadata),
        }));
        return { items };
      }),
  );
  server.registerTool(
    'read',
    {
      title: 'Read a document',
      description: 'Returns the text of a document in parts.',
      inputSchema: sdk.fromJsonSchema<Type.Static<typeof ReadInput>>(ReadInput),
      annotations: READ_ONLY,
    },
    ({ documentId: id, after }) =>
      result(async () => {
        const { title, url } = await documents.show(scope, id);
        const page = await documents.passages(scope, id, {
          limit: PASSAGES_PER_READ,
          ...(after === undefined ? {} : { after }),
        });
        return { documentId: id, title, url, text: textOf(page.items), next: page.next };
      }),
  );
}

/** Converts the result of a tool. An error that the caller can correct becomes a result, so that a model can correct its call. */
function resultOf(onFailure: Registration['onFailure']) {
  return async (run: () => Promise<Record<string, unknown>>): Promise<CallToolResult> => {
    try {
      const value = await run();
      return {
        content: [{ type: 'text', text: JSON.stringify(value) }],
        structuredContent: value,
      };
    } catch (error) {
      if (!(error instanceof ApiError)) {
        onFailure(error);
        throw error;
      }
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  };
}
