import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { skip, visit } from '../support/browser/browser.ts';
import { shopOfThisFile } from '../support/browser/widget.ts';
import { STATES } from '../support/browser/widget-states.ts';

describe('the chat', { skip }, () => {
  const shop = shopOfThisFile();
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [state, reach] of Object.entries(STATES))
      test(`has no accessibility violations in the ${colorScheme} colour scheme: ${state}`, async (t) => {
        const { page, problems } = await visit(t, shop().browser, { colorScheme });
        await reach(page, shop());
        assert.deepEqual(await accessibilityViolations(page), []);
        assert.deepEqual(problems, []);
      });
});
