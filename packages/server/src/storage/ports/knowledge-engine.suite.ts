import { describe } from 'node:test';
import { embeddingOrderTests } from './knowledge-embedding-order.suite.ts';
import type { OpenKnowledge } from './knowledge-engine-under-test.suite.ts';
import { inScopeTests } from './knowledge-in-scope.suite.ts';
import { renumberTests } from './knowledge-renumber.suite.ts';
import { searchTests } from './knowledge-search.suite.ts';
import { writeIfTests } from './knowledge-write-if.suite.ts';

/**
 * Tests that every `KnowledgeEngine` must pass.
 *
 * @param skip reason to skip the tests in this environment.
 */
export function knowledgeEngineSuite(
  name: string,
  open: OpenKnowledge,
  skip: string | undefined = undefined,
): void {
  describe(`knowledge on ${name}`, { skip }, () => {
    describe('search', () => searchTests(open));
    describe('scopes', () => inScopeTests(open));
    describe('document numbers', () => renumberTests(open));
    describe('order of embedding', () => embeddingOrderTests(open));
    describe('conditional writes', () => writeIfTests(open));
  });
}
