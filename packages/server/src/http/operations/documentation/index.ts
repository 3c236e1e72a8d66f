export { readBuiltSite } from './built-site.ts';
export { registerDocumentation } from './documentation.ts';
