const FOCUSABLE = 'a[href], button, input:not([hidden]), select, textarea, summary';

/** The place of the focused element in the page. */
interface Place {
  readonly element: Element;
  readonly ancestors: readonly Element[];
  /** The row of a table or list that contains the element. */
  readonly row: Element | null;
  readonly rowIndex: number;
  /** Index of the element among the elements of its row that can have the focus. */
  readonly index: number;
}

/**
 * Keeps the focus near a focused element that disappears, such as the button of a deleted row: in the same row, or else in the row
 * that has taken its place, or else at the section.
 *
 * @returns a function that stops it.
 */
export function keepFocus(main: HTMLElement): () => void {
  let last: Place | null = null;
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element) last = placeOf(target, main);
  };
  const onBlur = () =>
    queueMicrotask(() => {
      // The user has left the element, which still exists.
      if (last?.element.isConnected && document.activeElement === document.body) last = null;
    });
  const observer = new MutationObserver(() => {
    if (last === null || last.element.isConnected || document.activeElement !== document.body)
      return;
    const next = nextOf(last) ?? main;
    if (!next.matches(FOCUSABLE)) next.tabIndex = -1;
    next.focus();
  });
  main.addEventListener('focusin', onFocus);
  main.addEventListener('focusout', onBlur);
  observer.observe(main, { childList: true, subtree: true });
  return () => {
    main.removeEventListener('focusin', onFocus);
    main.removeEventListener('focusout', onBlur);
    observer.disconnect();
  };
}

function placeOf(element: Element, main: HTMLElement): Place {
  const ancestors: Element[] = [];
  for (let one = element.parentElement; one !== null && one !== main; one = one.parentElement)
    ancestors.push(one);
  const row = element.closest('tr, li');
  return {
    element,
    ancestors,
    row,
    rowIndex: row === null ? -1 : [...(row.parentElement?.children ?? [])].indexOf(row),
    index: row === null ? -1 : focusableIn(row).indexOf(element as HTMLElement),
  };
}

function nextOf({ ancestors, row, rowIndex, index }: Place): HTMLElement | undefined {
  const connected = ancestors.filter((one) => one.isConnected);
  if (row !== null) {
    const rows = connected.find((one) => one === ancestors[ancestors.indexOf(row) + 1]);
    const next = row.isConnected ? row : (rows?.children[rowIndex] ?? rows?.lastElementChild);
    if (next instanceof HTMLElement) {
      const controls = focusableIn(next);
      return controls[index] ?? controls.at(-1) ?? next;
    }
  }
  return connected.find(
    (one): one is HTMLElement => one instanceof HTMLElement && one.matches('section, aside'),
  );
}

function focusableIn(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
}
