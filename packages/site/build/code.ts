import { createHash } from 'node:crypto';
import { renderMermaidSVG } from 'beautiful-mermaid';
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** Grammars by the language of a code block. */
const GRAMMARS = {
  ...{ sh: bash, bash, css, go, http, ini, java, js: javascript, json, php, python, ruby, sql },
  ...{ ts: typescript, tsx: typescript, html: xml, yaml },
};
for (const [name, grammar] of Object.entries(GRAMMARS)) highlighter.registerLanguage(name, grammar);

const NAMES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
  ruby: 'Ruby',
  java: 'Java',
  json: 'JSON',
  http: 'HTTP',
  html: 'HTML',
  css: 'CSS',
  sql: 'SQL',
  yaml: 'YAML',
};

/** Width of the text column in pixels. */
const COLUMN = 820;
/** Minimum scale of a diagram. A smaller scale makes its labels unreadable, so wider diagrams scroll. */
const MIN_SCALE = 0.75;

/** Returns a code block as HTML: a diagram for `mermaid`, otherwise highlighted code. The script of the page adds a button that copies the code. */
export function codeBlock(code: string, language: string): string {
  if (language === 'mermaid') return diagram(code);
  const html =
    language in GRAMMARS ? highlighter.highlight(code, { language }).value : escapeHtml(code);
  const name = NAMES[language] ?? 'Text';
  return `<div class="code"><div class="code-head"><span>${name}</span></div><pre tabindex="0"><code>${html}</code></pre></div>\n`;
}

/**
 * Returns a diagram as an SVG element without inline styles, which the Content-Security-Policy forbids. `style.css` sets its colours.
 * If a diagram cannot be laid out, its source is shown, so that a document cannot break the installation. A test finds such diagrams.
 */
function diagram(code: string): string {
  const drawn = draw(code, TIGHT) ?? draw(code, {});
  if (drawn === null) return codeBlock(code, 'text');
  const id = `diagram-${createHash('sha256').update(code).digest('hex').slice(0, 8)}`;
  const svg = drawn
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/ width="([\d.]+)" height="([\d.]+)" style="[^"]*"/, (_, width, height) => {
      const scale = Math.max(MIN_SCALE, Math.min(1, COLUMN / Number(width)));
      const [w, h] = [width, height].map((length) => Math.round(Number(length) * scale));
      return ` width="${w}" height="${h}" class="diagram" role="img" aria-label="${labelOf(code)}"`;
    })
    .replaceAll(/(id="|url\(#)([\w-]+)/g, `$1${id}-$2`);
  return `<div class="wide" tabindex="0" role="group" aria-label="Diagram">${svg}</div>\n`;
}

/** Spacing in pixels. The layout algorithm fails for some diagrams with little space. */
const TIGHT = { padding: 8, nodeSpacing: 12, layerSpacing: 24 };

function draw(code: string, spacing: Partial<typeof TIGHT>): string | null {
  try {
    return renderMermaidSVG(code, spacing);
  } catch {
    return null;
  }
}

/** Returns the names in a diagram, for screen readers. */
function labelOf(code: string): string {
  const names = [...code.matchAll(/\["(.+?)"\]|participant \w+ as (.+)/g)].map(
    ([, label, participant]) => label ?? participant ?? '',
  );
  return escapeHtml(`Diagram: ${names.join('; ')}`);
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
