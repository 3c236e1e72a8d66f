import type { Strings } from '../translations/strings.ts';
import { type Piece, PlainTextExtractor } from './plain-text.ts';

/** Splits one growing answer into complete sentences for a screen reader. */
export class Announcer {
  readonly #extractor: PlainTextExtractor;
  readonly #split: SplitSentences;
  #length = 0;
  /** The text of the current block that has not been returned yet. */
  #block = '';

  /** @param locale BCP 47 tag. Selects the rules for splitting sentences. */
  constructor({ code }: Pick<Strings, 'code'>, locale: string) {
    this.#extractor = new PlainTextExtractor(code);
    this.#split = createSentenceSplitter(locale);
  }

  /**
   * Returns the sentences that have become complete, as plain text without citations.
   *
   * @param text the whole answer so far, as Markdown. Must start with the text of the previous call.
   */
  push(text: string): string[] {
    const more = text.slice(this.#length);
    this.#length = Math.max(this.#length, text.length);
    return this.#sentences(this.#extractor.push(more));
  }

  /** Returns the remaining sentences when the answer is complete. */
  end(): string[] {
    return this.#sentences(this.#extractor.end());
  }

  #sentences(pieces: readonly Piece[]): string[] {
    const complete: string[] = [];
    for (const piece of pieces) {
      if (piece !== 'end of block') this.#block += piece.text;
      else {
        complete.push(...this.#split(this.#block));
        this.#block = '';
      }
    }
    const sentences = this.#split(this.#block);
    this.#block = sentences.pop() ?? '';
    complete.push(...sentences);
    return complete.map(tidy).filter((text) => /[\p{L}\p{N}]/u.test(text));
  }
}

/**
 * Removes spaces before punctuation. Such spaces remain where citations were removed, and screen readers would then
 * pronounce the punctuation.
 */
function tidy(text: string): string {
  return text.replace(/ +(?=[.,])/g, '').trim();
}

/**
 * Matches the end of a sentence, for browsers without `Intl.Segmenter`. The space after the punctuation is optional in
 * scripts without spaces.
 */
const END = /[.!?…]+["'”’»)\]]*\s+|[。！？｡][」』”’）]*\s*|[؟۔।]\s*/g;
const OPENING = /[「『（《〈【“‘]+$/;
/**
 * Matches a full stop that does not end a sentence: a full stop after a single letter, a number, or an abbreviation in
 * a supported language.
 */
const NO_END =
  /(?:^|[\s(„“"«'’.])(?:\p{L}|\d+|abs|approx|art|av|bd|bzw|ca|cf|dr|env|etc|evtl|ex|fig|ggf|inc|inkl|jr|ltd|max|mi[no]|mlle|mme|mrd|mrs?|ms|no|nr|núm|p[áa]g|pp|prof|sra?|srta|ste?|std|tel|usw|vgl|vol|vs|гг|др|им|млн|млрд|пр|рис|руб|см|стр|тыс|ул)\.\s*$/iu;

/** Splits text into sentences. Joining the sentences returns the original text. The last sentence may be incomplete. */
type SplitSentences = (text: string) => string[];

/** @param locale BCP 47 tag. The browser uses its default rules for an unknown language. */
function createSentenceSplitter(locale: string): SplitSentences {
  const segmenter = segmenterFor(locale);
  return (text) => {
    const parts =
      segmenter === null
        ? splitAtMarks(text)
        : Array.from(segmenter.segment(text), ({ segment }) => segment);
    return joinShort(withOpenings(parts));
  };
}

function segmenterFor(locale: string): Intl.Segmenter | null {
  try {
    return new Intl.Segmenter(locale, { granularity: 'sentence' });
  } catch {
    return null;
  }
}

function splitAtMarks(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(END)) {
    const end = index + mark.length;
    sentences.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/** Moves opening brackets to the next sentence. UAX 29 (`Close`) attaches all brackets to the previous sentence. */
function withOpenings(parts: readonly string[]): string[] {
  let opening = '';
  return parts.map((part, at) => {
    const own = opening + part;
    opening = at < parts.length - 1 ? (OPENING.exec(own)?.[0] ?? '') : '';
    return own.slice(0, own.length - opening.length);
  });
}

function joinShort(parts: readonly string[]): string[] {
  const sentences: string[] = [];
  for (const part of parts) {
    const before = sentences.at(-1);
    if (before !== undefined && NO_END.test(before))
      sentences[sentences.length - 1] = before + part;
    else sentences.push(part);
  }
  return sentences;
}
