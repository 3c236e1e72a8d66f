export { checkValueOf, createSealer, type Sealer } from './sealer.ts';
