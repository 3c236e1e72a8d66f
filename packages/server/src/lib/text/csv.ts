/**
 * A position before a character that starts a formula: at the start of a cell, or after `;`, a tab or a line break. Spreadsheets whose
 * list separator is `;` start a cell there, even inside quotation marks. The CSV doubles quotation marks, so for such a spreadsheet those
 * in between can be an empty text. Spreadsheets also remove a tab or carriage return at the start of a cell. With East Asian languages,
 * fullwidth characters start formulas too.
 */
const FORMULA = /(?=[=+\-@＝＋－＠])(?<=^|[;\t\r\n]"*)|^(?=[\t\r])/g;

/** Returns a CSV cell (RFC 4180). An apostrophe precedes text that a spreadsheet would evaluate as a formula. */
export function toCsvCell(text: string): string {
  const safe = text.replace(FORMULA, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns a line of a CSV file. */
export function toCsvRow(cells: readonly string[]): string {
  return `${cells.map(toCsvCell).join(',')}\r\n`;
}
