import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CODE_POINTS = 0x11_0000;

/**
 * Any Unicode character, as a unit of `fc.string`. fast-check's own unit `binary` builds a map of all characters, which takes a second in each
 * process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(CODE_POINTS - SURROGATES - 1).map(
  (at) => String.fromCodePoint(at < SURROGATES_FROM ? at : at + SURROGATES),
  (character) => {
    const codePoint = String(character).codePointAt(0) ?? 0;
    if (String.fromCodePoint(codePoint) !== character) throw new TypeError('not a character');
    return codePoint < SURROGATES_FROM ? codePoint : codePoint - SURROGATES;
  },
);
