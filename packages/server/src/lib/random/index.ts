export { pooledRandomBytes } from './random-bytes.ts';
