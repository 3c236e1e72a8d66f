/** What is not part of the text: programs, navigation, drawings, controls, and readings beside a word (ruby). */
const SKIPPED = new Set(
  (
    'script style template noscript nav svg canvas iframe object audio video map ' +
    'select datalist textarea annotation rt rp'
  ).split(' '),
);

/** Elements that begin and end a run of text. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main ol ' +
    'p pre search section summary table tbody td tfoot th thead tr ul caption'
  ).split(' '),
);

export type Attributes = Readonly<Record<string, string>>;

/** Whether an element and all that it holds is not shown. */
export function isSkipped(name: string, attributes: Attributes): boolean {
  if (SKIPPED.has(name) || attributes['aria-hidden'] === 'true') return true;
  const { hidden, style } = attributes;
  if (hidden !== undefined && hidden !== 'until-found') return true;
  return style !== undefined && /display\s*:\s*none/i.test(style);
}

export function isBlock(name: string): boolean {
  return BLOCKS.has(name);
}

/** 1 to 6 for a heading, else null. */
export function headingLevel(name: string): number | null {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : null;
}

export function isBold(name: string): boolean {
  return name === 'b' || name === 'strong';
}

/** A count in an attribute, such as `colspan`: from 1 to 1,000, as browsers take it. */
export function countOf(attribute: string | undefined): number {
  const count = Number.parseInt(attribute ?? '', 10);
  return count >= 1 ? Math.min(count, 1000) : 1;
}
