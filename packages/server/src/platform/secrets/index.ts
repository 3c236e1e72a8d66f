export {
  MAKE_SECRET,
  type OpenedSecret,
  openSecret,
  parseSecret,
  SECRET_FORM,
  UnusableSecret,
} from './installation-secret.ts';
export { copyKeys } from './key-files.ts';
export { createPseudonyms } from './pseudonyms.ts';
export { checkValueOf, createSealer, type Sealer } from './sealer.ts';
export { Secret } from './secret.ts';
