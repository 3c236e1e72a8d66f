import {
  docxOf,
  pdfOf,
  wordParagraph,
} from '../../packages/server/src/knowledge/parsers/documents.suite.ts';
import type { Send } from '../../packages/server/tests/support/http/client.ts';
import { formOf } from '../../packages/server/tests/support/http/form.ts';

export const TEAMS = ['a', 'c'] as const;
export type Team = (typeof TEAMS)[number];

/** A document, or a version of one, that contains a unique word. */
export interface Written {
  readonly word: string;
  team: Team;
  /** `false` after the document was deleted or replaced. */
  isLive: boolean;
}

const WORDS = 'refund invoice delivery warranty order voucher account basket'.split(' ');

export function sentence(words = 12): string {
  return Array.from({ length: words }, () => WORDS[Math.floor(Math.random() * 8)]).join(' ');
}

export function someTeam(): Team {
  return Math.random() < 0.5 ? 'a' : 'c';
}

/** Matches the unique words of documents. */
export const WORD = /zq\d+qz/g;

/** All documents of the soak with their expected state. */
export class Library {
  readonly all: Written[] = [];

  add(): Written {
    // A decimal number contains no letter, so no word contains another word.
    const word = `zq${this.all.length}qz`;
    const written = { word, team: someTeam(), isLive: false };
    this.all.push(written);
    return written;
  }

  /** Returns the document that contains a word. */
  find(word: string): Written | undefined {
    return this.all[Number(word.slice('zq'.length, -'qz'.length))];
  }
}

export function textOf({ word }: Written): string {
  const paragraphs = Array.from({ length: 10 }, () => `${sentence()}.`);
  return [`The reference is ${word}.`, ...paragraphs].join('\n\n');
}

/** Returns the request body of an upload in one of the supported formats. */
export async function uploadOf(written: Written, index: number): Promise<Send> {
  const { word, team } = written;
  const metadata = { team };
  const text = textOf(written);
  const lines = text.split('\n\n');
  const file = (extension: string, content: string | Uint8Array<ArrayBuffer>) =>
    formOf(`${word}.${extension}`, content, { metadata: JSON.stringify(metadata) });
  switch (index % 7) {
    case 0:
      return { body: { fileName: `${word}.txt`, text, metadata } };
    case 1:
      return { body: { fileName: `${word}.md`, markdown: `# ${word}\n\n${text}`, metadata } };
    case 2: {
      const html = lines.map((line) => `<p>${line}</p>`).join('');
      return { body: { fileName: `${word}.html`, html, metadata } };
    }
    case 3:
      return file('csv', `reference,note\n${lines.map((line) => `${word},${line}`).join('\n')}\n`);
    case 4:
      return file('json', JSON.stringify({ reference: word, notes: lines }));
    case 5:
      return file('pdf', new Uint8Array(pdfOf([lines])));
    default:
      return file(
        'docx',
        new Uint8Array(docxOf(lines.map((line) => wordParagraph(line)).join(''))),
      );
  }
}
