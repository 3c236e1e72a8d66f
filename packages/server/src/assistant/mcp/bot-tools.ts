import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { AnswerTool } from '../answerer.ts';
import type { Registration, Sdk } from './registration.ts';

/** Registers the tools of the bot. Their results are the texts of the backend, which the client must treat as data. */
export function registerBotTools(
  sdk: Sdk,
  server: McpServer,
  { tools, signal }: Registration,
): void {
  for (const tool of tools)
    server.registerTool(
      tool.name,
      {
        title: tool.title ?? tool.name,
        description: tool.description,
        inputSchema: sdk.fromJsonSchema<Record<string, unknown>>({ ...tool.inputSchema }),
        annotations: { openWorldHint: true },
      },
      (input) => call(tool, input, signal),
    );
}

async function call(
  tool: AnswerTool,
  input: unknown,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const started = await tool.start(input, signal);
  const { outcome, text } =
    'problem' in started
      ? { outcome: 'failed', text: `The arguments are invalid: ${started.problem}` }
      : await started.result();
  return { content: [{ type: 'text', text }], isError: outcome !== 'succeeded' };
}
