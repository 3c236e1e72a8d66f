import { asText, inkOn, readColour } from './colours.ts';

/** What a link or a bot says about looks: `mode`, `accent`, `radius`, `font`. Anyone may have written it. */
export type Theme = Readonly<Record<string, unknown>>;

const MOST_RADIUS = 24;

/** Dresses the page, and in nothing of what it wore before. What is none of the known values changes nothing. */
export function applyTheme(
  theme: Theme,
  style: Pick<CSSStyleDeclaration, 'colorScheme' | 'cssText' | 'setProperty'>,
): void {
  const { mode, radius, font } = theme;
  style.cssText = '';
  if (mode === 'light' || mode === 'dark') style.colorScheme = mode;
  const accent = readColour(theme['accent']);
  if (accent !== null) {
    style.setProperty('--accent', accent);
    style.setProperty('--on-accent', inkOn(accent));
    const [light, dark] = [asText(accent, 'light'), asText(accent, 'dark')];
    style.setProperty(
      '--accent-text',
      `light-dark(${light ?? 'var(--text)'}, ${dark ?? 'var(--text)'})`,
    );
  }
  const pixels = typeof radius === 'string' ? Number.parseFloat(radius) : radius;
  if (typeof pixels === 'number' && pixels >= 0)
    style.setProperty('--radius', `${Math.min(pixels, MOST_RADIUS)}px`);
  // Names of fonts that the machine has: the page loads none.
  if (typeof font === 'string' && /^[\p{L}\d\s,'"-]{1,200}$/u.test(font))
    style.setProperty('--font', font);
}
