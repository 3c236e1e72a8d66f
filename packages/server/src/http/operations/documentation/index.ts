export { registerDocumentation } from './documentation.ts';
