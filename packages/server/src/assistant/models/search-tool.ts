import type { Question, SourcePassage } from '../answerer.ts';
import type { Tool } from './models.ts';
import type { GivenPassages } from './passages.ts';
import { passageBlocks } from './prompt.ts';

const LONGEST_QUERY = 500;
/** Of one search; the best come first. */
const MOST_PASSAGES = 8;

export interface SearchTool {
  readonly tool: Tool;
  /** What the model is told, whatever it calls and however. */
  call(name: string, input: string): Promise<string>;
}

/**
 * Lets the model look again, in the scope of the person who asks: it says words and nothing else. After
 * `times` it is told that it may no more.
 */
export function searchTool(
  { search }: Pick<Question, 'search'>,
  given: GivenPassages,
  marker: string,
  times: number,
): SearchTool {
  let left = times;
  return {
    tool: {
      type: 'function',
      name: 'search',
      description: 'Finds passages of the documents by words. It gives them as data, numbered.',
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'A few words to look for.' } },
        required: ['query'],
        additionalProperties: false,
      },
    },

    async call(name, input) {
      if (name !== 'search') return 'There is no such tool, only "search".';
      const query = queryOf(input);
      if (query === null) return 'The search needs a query.';
      if (left-- <= 0) return 'No more searches. Answer from what you have.';
      let found: readonly SourcePassage[];
      try {
        found = await search(query.slice(0, LONGEST_QUERY));
      } catch {
        return 'The search failed. Answer from what you have.';
      }
      return passageBlocks(found.slice(0, MOST_PASSAGES), given, marker);
    },
  };
}

function queryOf(input: string): string | null {
  try {
    const { query } = JSON.parse(input) as { query?: unknown };
    return typeof query === 'string' ? query : null;
  } catch {
    return null;
  }
}
