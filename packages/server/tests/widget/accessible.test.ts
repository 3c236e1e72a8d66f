import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { skip, visit } from '../support/browser.ts';
import { shopOfThisFile } from '../support/widget.ts';
import { STATES } from '../support/widget-states.ts';

describe('nothing keeps people out who', { skip }, () => {
  const shop = shopOfThisFile();
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [state, reach] of Object.entries(STATES))
      test(`meet ${state}, ${colorScheme}`, async (t) => {
        const { page, problems } = await visit(t, shop().browser, { colorScheme });
        await reach(page, shop());
        assert.deepEqual(await barriers(page), []);
        assert.deepEqual(problems, []);
      });
});

/** What axe finds to be serious or critical: the rule, and the elements that break it. */
async function barriers(page: Page): Promise<object[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
    }));
}
