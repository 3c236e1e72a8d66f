import type { Tool } from 'ai';
import type { Question, SourcePassage } from '../../../ports/answerer.ts';
import type { GivenPassages } from './passages.ts';
import { passageBlocks } from './prompt.ts';
import type { loadSdk } from './sdk.ts';

const LONGEST_QUERY = 500;
/** Of one search; the best come first. */
const MOST_PASSAGES = 8;

/**
 * Lets the model look again, in the scope of the person who asks: it says words and nothing else. After
 * `times` it is told that it may no more.
 */
export function searchTool(
  sdk: Awaited<ReturnType<typeof loadSdk>>,
  { search }: Pick<Question, 'search'>,
  given: GivenPassages,
  marker: string,
  times: number,
): Tool {
  let left = times;
  return sdk.tool({
    description: 'Finds passages of the documents by words. It gives them as data, numbered.',
    inputSchema: sdk.jsonSchema({
      type: 'object',
      properties: { query: { type: 'string', description: 'A few words to look for.' } },
      required: ['query'],
      additionalProperties: false,
    }),
    execute: async (input: unknown) => {
      const { query } = (input ?? {}) as { query?: unknown };
      if (typeof query !== 'string') return 'The search needs a query.';
      if (left-- <= 0) return 'No more searches. Answer from what you have.';
      let found: readonly SourcePassage[];
      try {
        found = await search(query.slice(0, LONGEST_QUERY));
      } catch {
        return 'The search failed. Answer from what you have.';
      }
      return passageBlocks(found.slice(0, MOST_PASSAGES), given, marker);
    },
  });
}
