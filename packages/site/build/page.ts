import { escapeHtml } from './code.ts';
import { FIRST_PAGES, type Section } from './navigation.ts';
import type { Page } from './render.ts';
import { contentsOf } from './sections.ts';
import { API, HOME, relativeUrl } from './sources.ts';

/** The parts of the site that every page shows. */
export interface Site {
  readonly navigation: readonly Section[];
  readonly titles: ReadonlyMap<string, string>;
  readonly version: string;
  /** File names in `assets`. */
  readonly assets: { readonly style: string; readonly theme: string; readonly script: string };
  readonly index: string;
}

const LEAD =
  'Gatehouse creates access links to an embedded AI assistant and takes in events from your systems. Your team hosts it: one process on SQLite, or many replicas on PostgreSQL.';

/** Returns the HTML document of a page. All of its URLs are relative, so the site works below any path. */
export function pageDocument(page: Page, site: Site): string {
  const to = (path: string) => escapeHtml(relativeUrl(page.path, path));
  const title = page.path === HOME ? 'Gatehouse documentation' : `${page.title} · Gatehouse`;
  const main = page.path === HOME ? homeOf(page, site) : page.html;
  const contents = page.path === HOME ? '' : contentsNav(page);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(descriptionOf(page))}">
<link rel="icon" href="${to('assets/icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to(`assets/${site.assets.style}`)}">
<script src="${to(`assets/${site.assets.theme}`)}"></script>
<script type="module" src="${to(`assets/${site.assets.script}`)}"></script>
</head>
<body data-root="${to(HOME)}" data-index="${to(`assets/${site.index}`)}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button type="button" class="icon-button menu-button" aria-expanded="false" aria-controls="navigation" aria-label="Menu">${ICONS.menu}</button>
<a class="brand" href="${to(HOME)}">Gatehouse <span>${escapeHtml(site.version)}</span></a>
<button type="button" class="search-button" aria-label="Search" aria-keyshortcuts="/ Control+K">${ICONS.search}<span>Search</span><kbd aria-hidden="true">/</kbd></button>
<a class="top-link" href="${to(API)}">API reference</a>
<button type="button" class="icon-button theme-button" aria-label="Colours: system">${ICONS.theme}</button>
</header>
<div class="frame">
<nav id="navigation" class="side" aria-label="Documentation">
${site.navigation.map((section) => sectionNav(section, page, site)).join('\n')}
</nav>
<main id="content" tabindex="-1">
<article class="${page.path === HOME ? 'home' : 'text'}">
${main}
</article>
${page.path === HOME ? '' : neighbours(page, site)}
</main>
${contents}
</div>
</body>
</html>
`;
}

function sectionNav({ title, entries }: Section, page: Page, site: Site): string {
  const items = entries.map(({ path, title }) => {
    const isCurrent = path === page.path || page.path.startsWith(`${path}/`);
    const current = isCurrent ? ' aria-current="page"' : '';
    const name = title ?? site.titles.get(path) ?? path;
    return `<li><a href="${escapeHtml(relativeUrl(page.path, path))}"${current}>${escapeHtml(name)}</a>`;
  });
  // Every page contains the navigation. Without the optional end tags and line breaks, the site is 32 kB smaller.
  return `<h2>${title}</h2>\n<ul>${items.join('')}</ul>`;
}

function contentsNav({ html }: Page): string {
  const headings = contentsOf(html);
  if (headings.length < 2) return '<div class="contents"></div>';
  const items = headings.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${text}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>`;
}

/** Returns links to the previous and the next page of the navigation. */
function neighbours(page: Page, site: Site): string {
  const entries = site.navigation.flatMap((section) => section.entries);
  const at = entries.findIndex(({ path }) => path === page.path);
  if (at < 0) return '';
  const link = (index: number, label: string) => {
    const entry = entries[index];
    if (entry === undefined) return '<span></span>';
    const name = entry.title ?? site.titles.get(entry.path) ?? entry.path;
    const href = escapeHtml(relativeUrl(page.path, entry.path));
    return `<a href="${href}"><span>${label}</span> ${escapeHtml(name)}</a>`;
  };
  return `<nav class="neighbours" aria-label="Previous and next page">\n${link(at - 1, 'Previous')}\n${link(at + 1, 'Next')}\n</nav>`;
}

function homeOf(page: Page, site: Site): string {
  const cards = FIRST_PAGES.map(
    ({ path, purpose }) =>
      `<li><a href="${path}">${escapeHtml(site.titles.get(path) ?? path)}</a><p>${purpose}</p></li>`,
  );
  return `<h1 id="documentation">An assistant in your product that shows each user only what you permit</h1>
<p class="lead">${LEAD}</p>
<ul class="cards">
${cards.join('\n')}
</ul>
<h2 id="by-task">By task</h2>
${page.html.replace(/<h1[\s\S]*?<\/h1>/, '')}`;
}

/** Returns the start of the first paragraph, for search engines. A decision starts with its date and status, which are skipped. */
function descriptionOf({ path, html }: Page): string {
  if (path === HOME) return LEAD;
  const [, first = ''] = /<p>(?!Date:|Status:)([\s\S]*?)<\/p>/.exec(html) ?? [];
  const text = first.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
  return text.length <= 160 ? text : `${text.slice(0, text.lastIndexOf(' ', 160))} …`;
}

const icon = (path: string) => `<svg viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;

const ICONS = {
  menu: icon('<path d="M4 6h16M4 12h16M4 18h16"/>'),
  search: icon('<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>'),
  theme: icon(
    '<circle cx="12" cy="12" r="8"/><path d="M12 4v16a8 8 0 0 0 0-16" fill="currentColor"/>',
  ),
};
