// Checks imports and folder sizes against the rules in imports/rules.ts.
import { join } from 'node:path';
import { checkImports } from './imports/check.ts';

const violations = checkImports(process.argv[2] ?? join(import.meta.dirname, '..'));
for (const violation of violations) console.error(violation);
if (violations.length > 0) {
  console.error(`\n${violations.length} violations of scripts/imports/rules.ts.`);
  process.exitCode = 1;
}
