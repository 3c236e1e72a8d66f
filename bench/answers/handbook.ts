import { createAnswerer, createModelDirectory } from '../../packages/server/src/assistant/index.ts';
import { readQuery } from '../../packages/server/src/lib/text/index.ts';
import { FIELD_WEIGHTS } from '../../packages/server/src/storage/full-text/terms/index.ts';
import { handbook } from '../relevance/handbook.ts';
import { termIndex } from '../relevance/term-index.ts';

/** Maximum number of passages of a search, as in the service. */
const LIMIT = 8;

/**
 * Answers the queries of the relevance collection. They were written for searches, long before the answers were judged. An answer is
 * right if it cites a passage of grade 2.
 */
export async function measureHandbook() {
  const { passages, queries } = handbook();
  const index = termIndex(passages, FIELD_WEIGHTS);
  const byId = new Map(passages.map((passage) => [passage.id, passage]));
  const search = async (text: string) =>
    index(readQuery(text))
      .slice(0, LIMIT)
      .flatMap((id) => {
        const passage = byId.get(id);
        if (passage === undefined) return [];
        const { title, heading, body } = passage;
        const path = `${title} › ${heading}`;
        return [
          { documentId: id, fileName: 'handbook.md', position: 0, heading: path, text: body },
        ];
      });
  const answerer = createAnswerer(createModelDirectory({ api: null, name: null }));
  let shown = 0;
  let right = 0;
  for (const { text, grades } of queries) {
    const parts = answerer.answer({
      model: null,
      locale: null,
      texts: { name: 'Handbook', title: null, greeting: null, suggestions: [] },
      instructions: '',
      facts: null,
      history: [],
      question: text,
      passages: await search(text),
      search,
      isBudgetUsed: false,
      showsReasoning: false,
      tools: [],
      signal: new AbortController().signal,
    });
    const cited: string[] = [];
    for await (const part of parts) if (part.kind === 'source') cited.push(part.passage.documentId);
    if (cited.length > 0) shown++;
    if (cited.some((id) => grades.get(id) === 2)) right++;
  }
  const rounded = (value: number) => Number(value.toFixed(3));
  return {
    queries: queries.length,
    precision: rounded(right / shown),
    answered: rounded(right / queries.length),
  };
}
