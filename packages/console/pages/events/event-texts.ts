const START = '{"items":[';
const EVENT = '{"event":';

/**
 * Returns the texts of the events in a page of the feed, exactly as they were received. Parsing and serialising an event could change
 * it, for example the digits of a number.
 *
 * @param page response to `GET /events`.
 */
export function eventTexts(page: string): string[] {
  const texts: string[] = [];
  let at = START.length;
  while (page.startsWith(EVENT, at)) {
    const start = at + EVENT.length;
    const end = endOfObject(page, start);
    texts.push(page.slice(start, end));
    // Skips the time of receipt, the end of the item and the comma.
    at = page.indexOf('}', end) + 2;
  }
  return texts;
}

/** Returns the index after the JSON object that starts at an index. */
function endOfObject(text: string, start: number): number {
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/gs;
  tokens.lastIndex = start;
  let depth = 0;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    if (match[0] === '{') depth += 1;
    if (match[0] === '}') depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return text.length;
}
