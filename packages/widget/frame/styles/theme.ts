import type { Scheme } from '../../protocol/messages.ts';

/** The theme of a link or a bot: `mode`, `accent`, `radius`, `font`. The values are untrusted. */
export type Theme = Readonly<Record<string, unknown>>;

/** Maximum radius in pixels. */
const MAX_RADIUS = 24;
/** Background colours of the light and dark colour schemes. Must match `tokens.css`. */
const BACKGROUNDS = { light: '#ffffff', dark: '#16181d' };
const TEXT = { dark: '#10131a', light: '#ffffff' };
/** Minimum contrast ratio for text (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;

/**
 * Applies a theme and removes the previous one. Ignores invalid values.
 *
 * @param fromPage the colour schemes of the embedding page. `chosen` takes precedence over the theme, `page` does not.
 */
export function applyTheme(
  theme: Theme,
  style: Pick<CSSStyleDeclaration, 'colorScheme' | 'cssText' | 'setProperty'>,
  { chosen, page }: { readonly chosen: Scheme; readonly page: Scheme },
): void {
  const { radius, font } = theme;
  style.cssText = '';
  const scheme = [chosen, theme['mode'], page].find(isScheme);
  if (scheme !== undefined) style.colorScheme = scheme;
  const accent = parseColour(theme['accent']);
  if (accent !== null) {
    style.setProperty('--accent', accent);
    style.setProperty('--on-accent', textColourOn(accent));
    const [light, dark] = [ifReadable(accent, 'light'), ifReadable(accent, 'dark')];
    style.setProperty(
      '--accent-text',
      `light-dark(${light ?? 'var(--text)'}, ${dark ?? 'var(--text)'})`,
    );
  }
  const pixels = typeof radius === 'string' ? Number.parseFloat(radius) : radius;
  if (typeof pixels === 'number' && pixels >= 0)
    style.setProperty('--radius', `${Math.min(pixels, MAX_RADIUS)}px`);
  // Only installed fonts work, because the page loads no fonts.
  if (typeof font === 'string' && /^[\p{L}\d\s,'"-]{1,200}$/u.test(font))
    style.setProperty('--font', font);
}

function isScheme(mode: unknown): mode is 'light' | 'dark' {
  return mode === 'light' || mode === 'dark';
}

/** Returns a colour as `#rrggbb`, or `null` for anything else. */
export function parseColour(value: unknown): string | null {
  if (typeof value !== 'string' || !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)) return null;
  return value.length === 4 ? value.replace(/[0-9a-f]/gi, '$&$&') : value;
}

/** Returns near-black or white, whichever has the higher contrast with a colour. */
export function textColourOn(colour: string): string {
  return contrast(colour, TEXT.dark) > contrast(colour, TEXT.light) ? TEXT.dark : TEXT.light;
}

/** Returns the colour if it has enough contrast for text on the background, otherwise `null`. */
function ifReadable(colour: string, background: keyof typeof BACKGROUNDS): string | null {
  return contrast(colour, BACKGROUNDS[background]) >= MIN_CONTRAST ? colour : null;
}

/** Returns the contrast ratio of two colours as `#rrggbb` (WCAG 2.2). */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
