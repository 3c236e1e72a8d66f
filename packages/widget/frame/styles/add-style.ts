/** Adds a constructed style sheet, because the page's Content-Security-Policy forbids `style` elements. */
export function addStyle(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
