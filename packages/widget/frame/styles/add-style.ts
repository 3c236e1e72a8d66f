/**
 * Adds a style that came with a script. As an object of the page, not an element in it: of elements the
 * page's policy takes none but its own.
 */
export function addStyle(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
