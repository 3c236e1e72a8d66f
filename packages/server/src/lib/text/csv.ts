/**
 * Returns a CSV cell (RFC 4180). Spreadsheets evaluate a cell that starts with one of these characters, so an apostrophe
 * precedes it.
 */
export function toCsvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns a line of a CSV file. */
export function toCsvRow(cells: readonly string[]): string {
  return `${cells.map(toCsvCell).join(',')}\r\n`;
}
