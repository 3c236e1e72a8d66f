/** Maximum length of `widget.logo` in characters. */
export const MAX_LOGO_LENGTH = 32_000;
const IMAGE = /^data:image\/(?:png|jpeg|webp|gif|svg\+xml)[;,]/i;

/** Reports whether the widget shows a value of `widget.logo`: a `data:` URL of a PNG, JPEG, WebP, GIF or SVG image. */
export function isLogo(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LOGO_LENGTH && IMAGE.test(value);
}
