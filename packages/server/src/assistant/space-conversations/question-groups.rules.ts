import { MAX_LISTED_MESSAGES, type QuestionGroup } from '@gatehouse/contract';
import { detectLanguage } from '../extractive/words/language.ts';
import { termsOf } from '../extractive/words/terms.ts';
import type { StoredQuestion } from './space-conversation.repository.ts';

/** Minimum share of common words among all words of two similar questions. */
const MIN_SIMILARITY = 0.5;

interface Group {
  readonly first: StoredQuestion;
  /** Number of distinct words of the first question. */
  readonly size: number;
  readonly questions: StoredQuestion[];
}

/**
 * Groups similar questions. Two questions are similar if the number of common words is at least half the number of all their
 * words, apart from stop words and endings. A question joins the group whose first question is the most similar, or starts a
 * new group. The result depends only on the questions and their order. An index from words to groups limits the work to groups
 * that share a word.
 */
export class QuestionGroups {
  readonly #groups: Group[] = [];
  readonly #byWord = new Map<string, number[]>();

  add(question: StoredQuestion): void {
    const words = wordsOf(question.text);
    const known = this.#mostSimilar(words);
    if (known !== null) known.questions.push(question);
    else this.#start(question, words);
  }

  /** Returns the groups, largest first. Groups of the same size keep the order of their first questions. */
  largest(): QuestionGroup[] {
    return this.#groups
      .toSorted((a, b) => b.questions.length - a.questions.length)
      .map(({ first, questions }) => ({
        question: first.text,
        count: questions.length,
        newestAt: new Date(first.answeredAt).toISOString(),
        messages: questions
          .slice(0, MAX_LISTED_MESSAGES)
          .map(({ conversationId, questionId, answerId }) => ({
            conversationId,
            questionId,
            answerId,
          })),
      }));
  }

  #mostSimilar(words: ReadonlySet<string>): Group | null {
    const common = new Map<number, number>();
    for (const word of words)
      for (const index of this.#byWord.get(word) ?? [])
        common.set(index, (common.get(index) ?? 0) + 1);
    let best: Group | null = null;
    let bestAt = 0;
    let highest = MIN_SIMILARITY;
    for (const [index, count] of common) {
      const group = this.#groups[index];
      if (group === undefined) continue;
      const similarity = count / (words.size + group.size - count);
      // Among equally similar groups, the group that started first wins.
      if (similarity < highest || (similarity === highest && best !== null && bestAt < index))
        continue;
      [best, bestAt, highest] = [group, index, similarity];
    }
    return best;
  }

  #start(first: StoredQuestion, words: ReadonlySet<string>): void {
    const index = this.#groups.push({ first, size: words.size, questions: [first] }) - 1;
    for (const word of words) this.#byWord.getOrInsert(word, []).push(index);
  }
}

/** Returns the stems of a question without stop words. A question of stop words only is one word. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = termsOf(text, detectLanguage(text) ?? 'en').map(({ form }) => form);
  return new Set(words.length > 0 ? words : [text.trim().toLowerCase()]);
}
