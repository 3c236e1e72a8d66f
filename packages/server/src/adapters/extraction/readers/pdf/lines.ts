/** A line of a page. */
export interface Line {
  readonly text: string;
  /** Of its first letters, in points from the bottom of the page. */
  readonly y: number;
  /** Of its largest letters, in points. */
  readonly height: number;
}

/** What pdf.js says of a run of text. */
export interface TextItem {
  readonly str: string;
  /** Its matrix; the last two numbers are its place. */
  readonly transform: readonly number[];
  readonly height: number;
  readonly hasEOL: boolean;
}

/** Puts runs of text together to lines. Those without anything to see are left out. */
export function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = [];
  let text = '';
  let y: number | null = null;
  let height = 0;
  const end = () => {
    if (text.trim() !== '') lines.push({ text: text.trim(), y: y ?? 0, height });
    [text, y, height] = ['', null, 0];
  };
  for (const item of items) {
    const run = item.str;
    if (run.trim() !== '') {
      y ??= item.transform[5] ?? 0;
      height = Math.max(height, item.height);
    }
    text += run;
    if (item.hasEOL) end();
  }
  end();
  return lines;
}
