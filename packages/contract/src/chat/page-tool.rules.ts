import { schemaProblems } from './input-schema.ts';

/** Maximum number of tools that a page may offer with a question. */
const MAX_PAGE_TOOLS = 20;
/** Maximum length of all tools of a page as JSON text, in UTF-16 code units. */
const MAX_PAGE_TOOLS_LENGTH = 32_000;
/** Maximum length of the result of a call of a page's tool, in UTF-16 code units. */
export const MAX_PAGE_TOOL_RESULT_LENGTH = 16_384;
/** Time in seconds within which a page must return the result of a call. */
export const PAGE_TOOL_SECONDS = 30;
export const TOOL_NAME_PATTERN = '^[a-z][a-z0-9_]{0,63}$';
export const MAX_TOOL_TITLE_LENGTH = 100;
export const MAX_TOOL_DESCRIPTION_LENGTH = 1000;

/** Names of built-in tools, and a name that every object has. */
const RESERVED: readonly unknown[] = ['search', 'read', 'records', 'constructor'];

/** A tool that an embedding page offers, without the function that runs in the page. */
export interface PageToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly harmless?: boolean;
}

/**
 * Returns the problems of the tools of a page that the types do not cover, each after the path of the tool. The embed script and the
 * service apply the same rules.
 *
 * @example
 * pageToolProblems([{ name: 'search', description: 'x', inputSchema: { type: 'object' } }]);
 * // ['[0].name: is reserved for a built-in tool']
 */
export function pageToolProblems(tools: readonly unknown[]): string[] {
  if (tools.length > MAX_PAGE_TOOLS) return [`: must have at most ${MAX_PAGE_TOOLS} tools`];
  if (JSON.stringify(tools).length > MAX_PAGE_TOOLS_LENGTH)
    return [`: must have at most ${MAX_PAGE_TOOLS_LENGTH} characters as JSON`];
  const names = new Set<unknown>();
  return tools.flatMap((tool, at) => {
    const { name, inputSchema } = (tool ?? {}) as Partial<PageToolDefinition>;
    const problems = schemaProblems(inputSchema).map((problem) => `inputSchema${problem}`);
    if (RESERVED.includes(name)) problems.unshift('name: is reserved for a built-in tool');
    else if (names.has(name)) problems.unshift('name: must be unique');
    names.add(name);
    return problems.map((problem) => `[${at}].${problem}`);
  });
}
