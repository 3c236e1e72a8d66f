// The module's index does not export this code, because the code starts a thread and unit tests must not import such code.
export { registerReference } from './reference.ts';
