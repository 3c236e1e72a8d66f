const CANDIDATES = [',', ';', '\t', '|'] as const;
const SAMPLE_LINES = 20;
const SAMPLE_LENGTH = 50_000;

/**
 * What parts the cells: what Excel says in a first line `sep=;`, which is then left out, else the
 * candidate that divides most of the first lines into equally many cells; a comma when none does.
 */
export function delimiterOf(text: string): { delimiter: string; body: string } {
  const said = /^sep=(.)\r?\n/i.exec(text);
  if (said?.[1] !== undefined) return { delimiter: said[1], body: text.slice(said[0].length) };
  const lines = sampleOf(text);
  let best = { delimiter: ',', score: 0 };
  for (const delimiter of CANDIDATES) {
    const score = scoreOf(lines.map((line) => line.split(delimiter).length - 1));
    if (score > best.score) best = { delimiter, score };
  }
  return { delimiter: best.delimiter, body: text };
}

/** The first lines, without what stands in quotes. The last one may be cut. */
function sampleOf(text: string): string[] {
  const sample = text.slice(0, SAMPLE_LENGTH).replace(/"[^"]*"/g, '');
  const lines = sample.split(/\r?\n/, SAMPLE_LINES + 1).filter((line) => line !== '');
  return lines.length > 1 && text.length > SAMPLE_LENGTH ? lines.slice(0, -1) : lines;
}

/** In how many lines a delimiter stands as often as in the first one; then, how often. */
function scoreOf(counts: readonly number[]): number {
  const [first = 0] = counts;
  if (first === 0) return 0;
  return counts.filter((count) => count === first).length * 1000 + Math.min(first, 999);
}
