/**
 * Replaces control characters, which could move the cursor or change the settings of a terminal. Line breaks and tabs are
 * kept. Text of the service is untrusted: documents, events and answers contain text of other people.
 */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** Returns JSON text without raw control characters. */
export function toJson(value: unknown, indent?: number): string {
  return escapeControls(JSON.stringify(value, null, indent));
}

/** Escapes the control characters that strings in JSON text may contain. */
export function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns a value for a line of text: text unchanged, other values as JSON, `-` if absent. */
export function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text).replace(/[\n\t]+/g, ' ');
}

/** Returns a number with its noun: `1 event`, `2 events`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** Formats rows as columns that are separated by two spaces. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((text, index) => {
      widths[index] = Math.max(widths[index] ?? 0, text.length);
    });
  return rows.map((row) =>
    row
      .map((text, index) => (index === row.length - 1 ? text : text.padEnd(widths[index] ?? 0)))
      .join('  '),
  );
}
