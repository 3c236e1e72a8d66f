import { Marked, type Tokens } from 'marked';
import { PAGE_STYLE, staticPage, staticPagePolicy } from '../page-style.ts';

const STYLE = `${PAGE_STYLE}
main { max-width: 52rem; }
h2 { font-size: 1.25rem; }
pre { padding: 0.75rem 1rem; border-radius: 0.5rem; background: var(--raised); overflow-x: auto; overflow-wrap: normal; }
pre code { padding: 0; background: none; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; overflow-wrap: break-word; }
th, td { padding: 0.375rem 0.625rem; border: 1px solid var(--line); text-align: start; vertical-align: top; }
nav { margin-block-end: 1.5rem; }
`;

export const GUIDE_POLICY = staticPagePolicy(STYLE);

const NAVIGATION =
  '<nav><a href="../../">Gatehouse</a> · <a href="../../docs">API reference</a></nav>';

/**
 * Returns an HTML page with a Markdown file of this repository.
 *
 * @param isServed reports whether a file name without `.md` is served next to this page. Links to other files of the
 *   repository become plain text.
 */
export function guidePage(markdown: string, isServed: (name: string) => boolean): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Guide';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href, isServed);
        return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image({ text }: Tokens.Image) {
        return `<em>${escapeHtml(text)}</em>`;
      },
      code({ text }: Tokens.Code) {
        return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
    },
    hooks: {
      postprocess: (html) =>
        html
          .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
          .replaceAll('</table>', '</table></div>'),
    },
  });
  const main = `${NAVIGATION}\n${marked.parse(markdown, { async: false })}`;
  return staticPage(`${escapeHtml(title)} · Gatehouse`, STYLE, main);
}

function targetOf(href: string, isServed: (name: string) => boolean): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [, name = '', anchor = ''] = /([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return !href.includes('decisions/') && isServed(name) ? `${name}${anchor}` : null;
}

/** Returns the anchor that code hosts generate for a heading: lower case, hyphens for spaces, no punctuation. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
