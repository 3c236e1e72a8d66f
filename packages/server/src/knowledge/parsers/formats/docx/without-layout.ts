/** Elements without content that say how text looks or where a program was, never what it is. */
const LAYOUT_ELEMENTS = [
  'rFonts sz szCs lang color kern spacing w position shd bCs iCs snapToGrid noProof proofErr',
  'ind jc widowControl autoSpaceDE autoSpaceDN adjustRightInd contextualSpacing textAlignment',
  'keepNext keepLines lastRenderedPageBreak bookmarkStart bookmarkEnd tcW cnfStyle vAlign',
];
const LAYOUT = new RegExp(
  `<w:(?:${LAYOUT_ELEMENTS.join(' ').replaceAll(' ', '|')})(?: [^<>]*)?/>`,
  'g',
);
/** Which editing session a thing came from. */
const TRACES = / (?:w:rsid\w*|w14:(?:paraId|textId))="[^"<>]*"/g;

/**
 * Leaves out of a part of a document what does not bear on its text: most of its elements, in what Word
 * writes. The tree that is made of the part takes 40 bytes for each of its bytes, so this decides how
 * long a document may be. In XML a `<` is always markup, hence no text is touched.
 */
export function withoutLayout(xml: Buffer): Buffer {
  // One character a byte, whatever the encoding.
  const text = xml.toString('latin1');
  return Buffer.from(text.replace(LAYOUT, '').replace(TRACES, ''), 'latin1');
}
