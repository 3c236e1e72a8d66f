/** Matches embeddings, overrides and isolates, with their ends. Marks such as U+200F affect only their neighbours, so they are permitted. */
const FORMATTING = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns a text that cannot change the direction of the text around it. An unmatched U+2069 would even leave an element with
 * `unicode-bidi: isolate`, so the characters are removed.
 */
export function isolate(text: string): string {
  return text.replace(FORMATTING, '');
}
