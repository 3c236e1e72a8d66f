import { createHash } from 'node:crypto';

/**
 * Starts Scalar after its bundle has loaded. All features that contact other hosts are off: fonts, telemetry, AI agent, MCP,
 * hosted client and developer tools. Requests use URLs relative to this page, so they stay on its origin. `jitless` prevents zod
 * from testing whether `eval` works, because the page's policy forbids `eval`.
 */
const START = `
globalThis.__zod_globalConfig = { jitless: true };
addEventListener('DOMContentLoaded', () =>
  Scalar.createApiReference('#reference', {
    url: '../openapi.json',
    servers: [{ url: new URL('..', location.href).href.replace(/\\/$/, '') }],
    generateOperationSlug: ({ operationId }) => operationId,
    documentDownloadType: 'direct',
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
    persistAuth: false,
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
  }),
);
`;

/** Overrides those colours of Scalar's theme that have a contrast below 4.5:1. */
const COLOURS = `
.light-mode {
  --scalar-color-2: #5c5c5c; --scalar-color-3: #666; --scalar-color-blue: #00589b; --scalar-color-green: #00704a;
  --scalar-color-orange: #a84300; --scalar-color-red: #c8102e; --scalar-color-yellow: #8a5a00;
}
.dark-mode { --scalar-color-3: #949494; --scalar-color-red: #ff6b6b; }
`;

/** Returns an HTML page that loads the script at a path relative to the page. */
export function referencePage(script: string): string {
  return htmlDocument(
    `<title>Gatehouse: API reference</title>
<style>${COLOURS}</style>
<script>${START}</script>
<script src="${script}"></script>`,
    `<div id="reference"></div>
<noscript><p>This page needs JavaScript. The same reference as a file: <a href="../openapi.json">openapi.json</a>.</p></noscript>`,
  );
}

/**
 * The page's Content-Security-Policy. The policy allows scripts of this service, the inline start script, and requests to this
 * service. Inline styles are allowed, because Scalar creates style elements at run time. These styles cannot load other
 * resources.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(START).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns an HTML document in English. */
function htmlDocument(head: string, body: string): string {
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
