import './style.css';
import { addColours } from './colours.ts';
import { addSearch } from './search.ts';

const { root = './', index = '' } = document.body.dataset;

// Links to operations from the time when the API reference was at /docs.
if (/^#(tag|model|models|description)\b/.test(location.hash) && root === './')
  location.replace(`api${location.hash}`);

const find = <E extends Element>(selector: string, type: new () => E): E | null => {
  const found = document.querySelector(selector);
  return found instanceof type ? found : null;
};

const colours = find('.theme-button', HTMLButtonElement);
if (colours !== null) addColours(colours);
const search = find('.search-button', HTMLButtonElement);
if (search !== null) addSearch(search, { root, index });
const menu = find('.menu-button', HTMLButtonElement);
if (menu !== null) addMenu(menu);
for (const code of document.querySelectorAll('.code')) addCopyButton(code);
markContents();
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest' });

function addMenu(button: HTMLButtonElement): void {
  const show = (isOpen: boolean) => {
    button.setAttribute('aria-expanded', String(isOpen));
    document.body.classList.toggle('menu-open', isOpen);
    if (isOpen) document.querySelector('.side')?.scrollTo(0, 0);
  };
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') !== 'true'));
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || button.getAttribute('aria-expanded') !== 'true') return;
    show(false);
    button.focus();
  });
}

function addCopyButton(code: Element): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const text = code.querySelector('code')?.textContent ?? '';
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? 'Copied' : 'Copying failed';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  code.querySelector('.code-head')?.append(button);
}

/** Marks the entry of the visible section in the contents of the page. */
function markContents(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents a')];
  const headings = links.flatMap(({ hash }) => {
    const heading = document.getElementById(decodeURIComponent(hash.slice(1)));
    return heading === null ? [] : [heading];
  });
  const mark = () => {
    const passed = headings.findLastIndex((heading) => heading.getBoundingClientRect().top < 120);
    for (const [index, link] of links.entries())
      if (index === Math.max(passed, 0)) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
  };
  if (links.length === 0) return;
  mark();
  addEventListener('scroll', mark, { passive: true });
}
