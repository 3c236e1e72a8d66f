export { splitCitations, withoutCitations } from './citations.ts';
export { matchFormula } from './formulas.ts';
export { splitParagraph } from './literals.ts';
export { splitKnownCitations, withoutUnknownCitations } from './unknown-citations.ts';
