import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns the serious and critical accessibility violations that axe finds, with the affected elements. */
export async function accessibilityViolations(page: Page): Promise<object[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
    }));
}
