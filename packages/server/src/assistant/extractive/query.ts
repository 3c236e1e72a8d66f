import { isEmpty, type Query, readQuery } from '../../lib/text/index.ts';
import { saysNothing } from './common-words.ts';
import type { Language } from './language.ts';

/** What a question is about: its query without the words that it is merely asked with, unless there are no others. */
export function subjectOf(question: string, language: Language): Query {
  const query = readQuery(question, { unfinished: false });
  const terms = query.terms.filter(({ term }) => !saysNothing(term, language));
  const subject = { ...query, terms };
  return isEmpty(subject) ? query : subject;
}

/** How many things a query is about. */
export function partsOf({ terms, phrases }: Query): number {
  return terms.length + phrases.length;
}
