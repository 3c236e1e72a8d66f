// How the design goes on to ten and a thousand times the load: prints the tables of docs/operations.md, which
// `npm run docs` puts there.
import { tables } from './tables.ts';

console.log(tables());
