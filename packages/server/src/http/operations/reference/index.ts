// Not exported by the module's index, because it starts a thread, which tests of rules must not reach.
export { registerReference } from './reference.ts';
