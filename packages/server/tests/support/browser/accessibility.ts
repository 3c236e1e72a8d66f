import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules whose result depends on colours. The other rules have the same result in every theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Returns the serious and critical accessibility violations that axe finds, with the affected elements.
 *
 * @param rules the rules to check. Default: all rules that are enabled in axe.
 */
export async function accessibilityViolations(
  page: Page,
  rules?: readonly string[],
): Promise<object[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    // The passed checks of a large page take longer to describe than to run.
    resultTypes: ['violations'],
    ...(rules === undefined ? {} : { runOnly: [...rules] }),
  };
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(options)})`,
  )) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
    }));
}

/** Returns the violations in the light theme, and those of the colours in the dark theme. */
export async function violationsInBothThemes(page: Page): Promise<object[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await accessibilityViolations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  return [...light, ...(await accessibilityViolations(page, COLOUR_RULES))];
}
