/** The grounds that text stands on, light and dark, as the style has them. */
const GROUNDS = { light: '#ffffff', dark: '#16181d' };
const INK = { dark: '#10131a', light: '#ffffff' };
/** What WCAG 2.2 asks of text (1.4.3). */
const ENOUGH = 4.5;

/** A colour as `#rrggbb`, or null for anything else. */
export function readColour(value: unknown): string | null {
  if (typeof value !== 'string' || !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)) return null;
  return value.length === 4 ? value.replace(/[0-9a-f]/gi, '$&$&') : value;
}

/** Black or white, whichever reads better on a colour. */
export function inkOn(colour: string): string {
  return contrast(colour, INK.dark) > contrast(colour, INK.light) ? INK.dark : INK.light;
}

/** The colour where it can be read as text on that ground; null: it cannot. */
export function asText(colour: string, ground: keyof typeof GROUNDS): string | null {
  return contrast(colour, GROUNDS[ground]) >= ENOUGH ? colour : null;
}

/** WCAG 2.2, contrast ratio of two colours as `#rrggbb`. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
