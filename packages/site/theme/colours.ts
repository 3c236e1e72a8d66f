const STORED = 'gatehouse-docs-colours';
const SCHEMES = ['system', 'light', 'dark'] as const;

/** Makes a button that switches between the colour scheme of the system, light and dark. The choice is stored in the browser. */
export function addColours(button: HTMLButtonElement): void {
  const root = document.documentElement;
  const current = () => SCHEMES.find((scheme) => scheme === root.dataset['theme']) ?? 'system';
  const describe = () => {
    button.setAttribute('aria-label', `Colours: ${current()}`);
    button.title = `Colours: ${current()}`;
  };
  describe();
  button.addEventListener('click', () => {
    const next = SCHEMES[(SCHEMES.indexOf(current()) + 1) % SCHEMES.length] ?? 'system';
    if (next === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = next;
    describe();
    try {
      localStorage.setItem(STORED, next);
    } catch {
      // The browser blocks storage. The choice lasts until the next page.
    }
  });
}
