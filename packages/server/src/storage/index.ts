export { NewerSchema } from './migrations/index.ts';
export { openStore } from './open-store.ts';
