import { describe } from 'node:test';
import type { OpenKnowledge } from './knowledge-engine-under-test.suite.ts';
import { inScopeTests } from './knowledge-in-scope.suite.ts';
import { renumberTests } from './knowledge-renumber.suite.ts';
import { searchTests } from './knowledge-search.suite.ts';

/**
 * What every knowledge engine does.
 *
 * @param skip why its tests cannot run here.
 */
export function knowledgeEngineSuite(
  name: string,
  open: OpenKnowledge,
  skip: string | undefined = undefined,
): void {
  describe(`knowledge on ${name}`, { skip }, () => {
    describe('searches', () => searchTests(open));
    describe('scopes', () => inScopeTests(open));
    describe('numbers', () => renumberTests(open));
  });
}
