import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds to be serious or critical: the rule, and the elements that break it. */
export async function barriers(page: Page): Promise<object[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
    }));
}
