// Calculates the servers that are needed for 10 to 1,000 times the load. Prints the tables that `npm run docs` inserts into
// docs/operations.md.
import { tables } from './tables.ts';

console.log(tables());
