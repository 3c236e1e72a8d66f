/** `[1]`, `[1, 2]`, `[1-3]`, and the brackets that models put around them in Chinese and Japanese. */
const CITATION = /[[【［](\d{1,3}(?:\s*[,;、，–-]\s*\d{1,3})*)[\]】］]/g;
const RANGE = /(\d+)\s*[–-]\s*(\d+)/g;
const LAST_OPENING = /[[【［][^\]】］]*$/;
/** More letters behind a bracket are no citation that is still unfinished. */
const LONGEST = 40;
const LONGEST_RANGE = 20;

/** Finds the numbers that an answer cites, however its text is parted. */
export class CitationReader {
  #unfinished = '';

  /** The numbers cited up to the end of this text, each as often as it is. */
  read(text: string): number[] {
    const all = this.#unfinished + text;
    const opening = LAST_OPENING.exec(all)?.[0] ?? '';
    this.#unfinished = opening.length <= LONGEST ? opening : '';
    return Array.from(all.matchAll(CITATION), ([, cited]) => numbersIn(cited as string)).flat();
  }
}

function numbersIn(cited: string): number[] {
  const numbers = (cited.match(/\d+/g) ?? []).map(Number);
  for (const [, first, last] of cited.matchAll(RANGE)) {
    const end = Math.min(Number(last), Number(first) + LONGEST_RANGE);
    for (let number = Number(first) + 1; number < end; number++) numbers.push(number);
  }
  return numbers.sort((a, b) => a - b);
}
