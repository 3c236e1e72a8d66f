export { syncDirectory } from './sync-directory.ts';
