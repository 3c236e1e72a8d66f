/** A page of a browser other than Chromium. Expressions are JavaScript and evaluate to JSON values. */
export interface EnginePage {
  open(url: string): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  /** Scrolls to an element and clicks its centre with a pointer. */
  click(element: ElementExpression): Promise<void>;
  /** Presses the keys of a text in the focused element. `ENTER` presses the Enter key. */
  type(text: string): Promise<void>;
  /** Continues in the document of an iframe. `open` returns to the page. */
  enterFrame(frame: ElementExpression): Promise<void>;
}

/** An expression that evaluates to an element, such as `document.querySelector('button')`. */
export type ElementExpression = string;

/** A browser with one page and an empty profile. */
export interface Engine extends AsyncDisposable {
  readonly page: EnginePage;
}

/** The Enter key: https://www.w3.org/TR/webdriver2/#keyboard-actions */
export const ENTER = '\uE007';

const POLL_MS = 50;
const TIMEOUT_MS = 60_000;

/** Waits until an expression is true. @throws {Error} with the text of the page, after a minute. */
export async function untilTrue(page: EnginePage, expression: string): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while ((await page.evaluate(`Boolean(${expression})`)) !== true) {
    if (Date.now() > deadline)
      throw new Error(`not true: ${expression}\n${await page.evaluate('document.body.innerText')}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Waits until the page shows a text. */
export function untilShown(page: EnginePage, text: string): Promise<void> {
  return untilTrue(page, `document.body?.innerText.includes(${JSON.stringify(text)})`);
}

/** Returns the visible element of a kind whose accessible label or text contains a text. */
export function elementWith(selector: string, text: string): ElementExpression {
  return `[...document.querySelectorAll(${JSON.stringify(selector)})].find((element) =>
    element.checkVisibility() &&
    (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent).includes(${JSON.stringify(text)}))`;
}

/** Waits for an element and clicks it. */
export async function clickOn(page: EnginePage, element: ElementExpression): Promise<void> {
  await untilTrue(page, element);
  await page.click(element);
}
