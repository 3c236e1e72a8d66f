import MiniSearch, { type SearchResult } from 'minisearch';
import { type SearchPage, type SearchSection, searchSections } from './search-section.ts';

interface Places {
  /** URL of the first page, relative to this page. */
  readonly root: string;
  /** URL of the search index, relative to this page. */
  readonly index: string;
}

type Section = SearchSection & { readonly id: number };

const MAX_RESULTS = 12;
const SNIPPET = 140;

/** Opens a search dialog with a button, with `/` and with Ctrl+K or Command+K. The index is loaded at the first opening. */
export function addSearch(button: HTMLButtonElement, places: Places): void {
  let dialog: HTMLDialogElement | null = null;
  const open = () => {
    dialog ??= createDialog(places);
    if (!dialog.open) dialog.showModal();
    dialog.querySelector('input')?.select();
  };
  button.addEventListener('click', open);
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const isShortcut = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!isShortcut && (event.key !== '/' || isTyping)) return;
    event.preventDefault();
    open();
  });
}

function createDialog(places: Places): HTMLDialogElement {
  const dialog = element('dialog', { class: 'search', 'aria-label': 'Search the documentation' });
  const input = element('input', {
    type: 'search',
    placeholder: 'Search guides, settings and operations',
    role: 'combobox',
    'aria-label': 'Search',
    'aria-controls': 'results',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const status = element('p', { class: 'search-status', role: 'status' });
  const list = element('div', { id: 'results', role: 'listbox', 'aria-label': 'Results' });
  const close = element('button', { type: 'button', class: 'search-close' });
  close.textContent = 'Close';
  const head = element('div', { class: 'search-head' });
  head.append(input, close);
  dialog.append(head, status, list);
  document.body.append(dialog);

  const index = loadIndex(places.index);
  let selected = 0;
  const select = (at: number) => {
    const options = [...list.querySelectorAll('[role=option]')];
    selected = Math.max(0, Math.min(at, options.length - 1));
    for (const [position, option] of options.entries())
      option.setAttribute('aria-selected', String(position === selected));
    options[selected]?.scrollIntoView({ block: 'nearest' });
    if (options.length === 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `result-${selected}`);
  };
  const show = async () => {
    const query = input.value.trim();
    const results = query === '' ? [] : await index.then((search) => search(query));
    if (query !== input.value.trim()) return;
    list.replaceChildren(...results.map((result, at) => resultItem(result, at, places.root)));
    input.setAttribute('aria-expanded', String(results.length > 0));
    status.textContent = query === '' || results.length > 0 ? '' : `Nothing found for “${query}”.`;
    select(0);
  };
  const fail = () => {
    status.textContent = 'The search index could not be loaded. Reload the page.';
  };
  input.addEventListener('input', () => show().catch(fail));
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  list.addEventListener('click', () => dialog.close());
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) select(selected + step);
    else if (event.key === 'Enter') list.querySelector<HTMLElement>(`#result-${selected}`)?.click();
    else return;
    event.preventDefault();
  });
  return dialog;
}

async function loadIndex(url: string): Promise<(query: string) => (SearchResult & Section)[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status}`);
  const sections = searchSections((await response.json()) as SearchPage[]);
  const index = new MiniSearch<Section>({
    fields: ['heading', 'page', 'text'],
    storeFields: ['url', 'page', 'heading', 'text'],
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      boostDocument: (_id, _term, stored) => weightOf(String(stored?.['url'])),
    },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return (query) => {
    const results = index.search(query);
    const any = results.length > 0 ? results : index.search(query, { combineWith: 'OR' });
    return any.slice(0, MAX_RESULTS) as (SearchResult & Section)[];
  };
}

/** Guides come before references, and references before decisions, logs and measurements. */
function weightOf(url: string): number {
  if (url.startsWith('guides/')) return 2;
  return /^(decisions|changelog|benchmarks|licences|fuzzing|filter-sql|contributing)\b/.test(url)
    ? 0.5
    : 1;
}

function resultItem(result: SearchResult & Section, at: number, root: string): HTMLElement {
  const link = element('a', {
    id: `result-${at}`,
    href: `${root}${result.url}`,
    role: 'option',
    tabindex: '-1',
    'aria-selected': 'false',
  });
  const heading = element('strong', {});
  heading.append(...marked(result.heading, result.terms));
  const page = element('span', { class: 'search-page' });
  page.textContent = result.heading === result.page ? '' : result.page;
  const text = element('span', { class: 'search-text' });
  text.append(...marked(snippetOf(result.text, result.terms), result.terms));
  link.append(heading, page, text);
  return link;
}

/** Returns the part of a text around the first matching term. */
function snippetOf(text: string, terms: readonly string[]): string {
  const at = Math.max(0, text.toLowerCase().search(formOf(terms)));
  const start = at < SNIPPET / 2 ? 0 : text.indexOf(' ', at - SNIPPET / 2) + 1;
  const end = text.length <= start + SNIPPET ? text.length : text.lastIndexOf(' ', start + SNIPPET);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}

/** Returns a text in which matching words are in `mark` elements. */
function marked(text: string, terms: readonly string[]): Node[] {
  if (terms.length === 0) return [document.createTextNode(text)];
  return text.split(formOf(terms)).map((part, at) => {
    if (at % 2 === 0) return document.createTextNode(part);
    const mark = element('mark', {});
    mark.textContent = part;
    return mark;
  });
}

function formOf(terms: readonly string[]): RegExp {
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(${escaped.join('|')})`, 'i');
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    created.setAttribute(attribute, value);
  return created;
}
