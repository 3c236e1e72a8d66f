import { type InputSchema, type Issue, schemaProblems, type Tool } from '@gatehouse/contract';
import { secretProblem } from '../../ingest/sources/index.ts';
import { parse } from '../../lib/json/index.ts';
import type { ToolRow } from '../../storage/ports/index.ts';

/** Names of the built-in tools of the model and of the MCP server. */
const RESERVED: readonly unknown[] = ['search', 'read', 'records'];

/**
 * Returns the rules of a new or changed tool that its schema does not cover.
 *
 * @param refusalOf returns the problem with a URL, or `null`.
 */
export function toolIssues(
  refusalOf: (url: string) => string | null,
): (body: Readonly<Record<string, unknown>>) => Issue[] {
  return ({ name, url, secret, inputSchema }) => {
    const messages = [
      ...(RESERVED.includes(name) ? ['name: is reserved for a built-in tool'] : []),
      ...problemsOf('url', url, refusalOf),
      ...problemsOf('secret', secret, secretProblem),
      ...(inputSchema === undefined
        ? []
        : schemaProblems(inputSchema).map((problem) => `inputSchema${problem}`)),
    ];
    return messages.map((message) => ({ message }));
  };
}

function problemsOf(
  name: string,
  value: unknown,
  check: (text: string) => string | null,
): string[] {
  const problem = typeof value === 'string' && value !== '' ? check(value) : null;
  return problem === null ? [] : [`${name}: ${problem}`];
}

/** Returns the encryption context of a secret. The secret can be decrypted only with the same context. */
export function sealContext({ space_id, id }: Pick<ToolRow, 'space_id' | 'id'>): string {
  return `${space_id}/${id}`;
}

/** Reports whether calls of a tool become events of its space. */
export function isEvent({ url }: Pick<ToolRow, 'url'>): boolean {
  return url === '';
}

export function schemaOf({ input_schema }: Pick<ToolRow, 'input_schema'>): InputSchema {
  return parse(input_schema) as InputSchema;
}

export function toTool(row: ToolRow): Tool {
  return {
    id: row.id,
    spaceId: row.space_id,
    botId: row.bot_id,
    name: row.name,
    title: row.title,
    description: row.description,
    url: isEvent(row) ? null : row.url,
    inputSchema: schemaOf(row),
    consent: row.consent === 1,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
