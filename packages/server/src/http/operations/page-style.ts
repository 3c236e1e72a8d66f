import { createHash } from 'node:crypto';

/** Styles that all static pages share. The colours are those of the widget (`tokens.css`). */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #16181d);
  --raised: light-dark(#f2f4f7, #23262d);
  --line: light-dark(#d9dee6, #3a3f4a);
  --text: light-dark(#1b1e24, #eceef2);
  --quiet: light-dark(#545b67, #a9b0bd);
  --accent: light-dark(#1f5fd6, #8db4ff);
}
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 42rem; margin: 0 auto; padding: clamp(1.5rem, 8vh, 5rem) 1.25rem 3rem; }
h1 { margin: 0 0 1rem; padding-inline-start: 0.75rem; border-inline-start: 0.25rem solid var(--accent); font-size: 1.5rem; line-height: 1.3; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.0625rem; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:focus-visible { outline: 0.1875rem solid var(--accent); outline-offset: 0.125rem; border-radius: 0.25rem; }
code { padding: 0.1em 0.3em; border-radius: 0.25rem; background: var(--raised); font-size: 0.875em; }
`;

/** Returns the Content-Security-Policy of a static page: only its inline style, and no scripts, requests, forms or frames. */
export function staticPagePolicy(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Returns a static page with its main content. The title must not contain characters that HTML reserves. */
export function staticPage(title: string, style: string, main: string): string {
  return htmlDocument(
    `<title>${title}</title>\n<style>${style}</style>`,
    `<main>\n${main}\n</main>`,
  );
}

/** Returns an HTML document in English. */
export function htmlDocument(head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
${head}
</head>
<body>
${body}
</body>
</html>
`;
}
