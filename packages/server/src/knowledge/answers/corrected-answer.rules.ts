import { randomUUIDv7 } from 'node:crypto';
import { type Issue, MAX_TITLE_LENGTH, type NewAnswer } from '@gatehouse/contract';
import { readMetadata } from '../documents/metadata.rules.ts';
import { fromJson, type SentText } from '../documents/sent-document.ts';
import { readTitleText, VISIBLE } from '../parsers/title.ts';

/** Characters with a meaning in the text of a Markdown heading. */
const MARKDOWN = /[\\`*_[\]<>#&~$|]/g;

/** Returns the problems of a corrected answer that its schema cannot express. */
export function answerIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const blank = ['question', 'answer'].flatMap((name) => {
    const text = body[name];
    const isBlank = typeof text === 'string' && text !== '' && !VISIBLE.test(text);
    return isBlank ? [{ message: `${name}: must contain a visible character` }] : [];
  });
  const { metadata } = body;
  const read = typeof metadata === 'object' && metadata !== null ? readMetadata(metadata) : null;
  return [...blank, ...(read?.ok === false ? read.issues : [])];
}

/**
 * Converts a corrected answer, already validated, to a Markdown document with the question as its heading. The file name is
 * unique, because an upload with the same name and content would change the metadata of an earlier answer.
 */
export function toAnswerDocument({ question, answer, metadata }: NewAnswer): SentText {
  const line = question.replace(/\s+/gu, ' ').trim();
  const title = readTitleText(line)?.slice(0, MAX_TITLE_LENGTH);
  return fromJson({
    fileName: `answer-${randomUUIDv7()}.md`,
    markdown: `# ${line.replace(MARKDOWN, '\\$&')}\n\n${answer.trim()}\n`,
    ...(title === undefined ? {} : { title }),
    metadata,
  });
}
