import type { Line } from './pdf-lines.ts';

/** Share of the page's height at its top and bottom that can contain a header or footer: two centimetres of an A4 page. */
const MARGIN = 0.07;
const PAGE_NUMBER =
  /^(?:[-–—]\s?)?(?:(?:page|seite|s\.|página|pagina|страница|стр\.|صفحة|第)\s?)?\p{N}{1,4}(?:\s?(?:\/|of|von|sur|de|из|من)\s?\p{N}{1,4})?(?:\s?(?:页|頁|ページ))?(?:\s?[-–—])?$/iu;

/** Removes page numbers, and headers and footers that are equal to those of the previous page. */
export class Margins {
  #previous: ReadonlySet<string> = new Set();

  /**
   * Returns the remaining lines of the next page.
   *
   * @param lines the lines of the page, whose `y` is from 0 to `height`.
   */
  next(lines: readonly Line[], height: number): readonly Line[] {
    const rest = withoutPageNumber(lines);
    const margin = MARGIN * height;
    const outer = rest.filter(({ y }) => y < margin || y > height - margin);
    const repeated = new Set(outer.filter((line) => this.#previous.has(keyOf(line))));
    this.#previous = new Set(outer.map(keyOf));
    return rest.filter((line) => !repeated.has(line));
  }
}

function withoutPageNumber(lines: readonly Line[]): readonly Line[] {
  if (lines.length < 2) return lines;
  const down = lines.toSorted((a, b) => b.y - a.y);
  const number = [down.at(-1), down[0]].find((line) => PAGE_NUMBER.test(line?.text ?? ''));
  return lines.filter((line) => line !== number);
}

/** Returns the text and the position of a line. */
function keyOf({ text, y }: Line): string {
  return `${Math.round(y)} ${text}`;
}
