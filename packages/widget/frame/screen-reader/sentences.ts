/** Ends of sentences where the browser cannot tell: a mark with a space behind it, or one of a script without spaces. */
const END = /[.!?…]+["'”’»)\]]*\s+|[。！？｡][」』”’）]*\s*|[؟۔।]\s*/g;
const OPENING = /[「『（《〈【“‘]+$/;
/** A full stop behind these is none: one letter, a number, what is short in the languages of the frame. */
const NO_END =
  /(?:^|[\s(„“"«'’.])(?:\p{L}|\d+|abs|approx|art|av|bd|bzw|ca|cf|dr|env|etc|evtl|ex|fig|ggf|inc|inkl|jr|ltd|max|mi[no]|mlle|mme|mrd|mrs?|ms|no|nr|núm|p[áa]g|pp|prof|sra?|srta|ste?|std|tel|usw|vgl|vol|vs|гг|др|им|млн|млрд|пр|рис|руб|см|стр|тыс|ул)\.\s*$/iu;

/** Parts a text into its sentences; joined they are the text. The last one may be unfinished. */
export type SplitSentences = (text: string) => string[];

/** @param locale BCP 47; one that the browser does not know is as good as none. */
export function createSentenceSplitter(locale: string): SplitSentences {
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

/** Unicode has every bracket end a sentence, also one that opens the next (UAX 29, `Close`). */
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
