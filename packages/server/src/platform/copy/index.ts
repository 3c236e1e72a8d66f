export { CopyDiffers, CopyRefused } from './copy.errors.ts';
export { type CopyDeps, type CopyStep, copy } from './copy.service.ts';
export { COPY_FACT, type CopyState, isUnfinished } from './copy-state.ts';
export type { Digest } from './digest.ts';
export { TABLES } from './tables.ts';
