/** Bytes of a JSON text in UTF-8. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const BACKSLASH = 0x5c;
/** The bit that distinguishes `[` from `{`, and `]` from `}`. Outside strings, setting this bit makes no other byte a bracket. */
export const BRACKET_BIT = 0x20;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;
