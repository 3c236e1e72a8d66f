export { registerReference } from './reference.ts';
