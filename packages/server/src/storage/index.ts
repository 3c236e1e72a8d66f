export { NewerSchema } from './migrations/migrate.ts';
export { openStore } from './open-store.ts';
