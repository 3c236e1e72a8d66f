import { createHash } from 'node:crypto';
import { reference } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from '../../route.ts';
import type { DescribedBy } from '../open-api.ts';
import { referencePage } from './reference-page.ts';
import { REFERENCE_STYLE } from './reference-style.ts';

/** Serves the document as a page to read at `/docs`; it is rendered once, not for each request. */
export function registerReference(app: FastifyInstance, { openApi }: DescribedBy): void {
  const headers = {
    'cache-control': 'public, max-age=60',
    'content-security-policy': contentSecurityPolicy(),
    'referrer-policy': 'no-referrer',
  };
  let text: string | undefined;
  route(app, reference, {
    caller: anyone,
    handle: () => {
      text ??= referencePage(openApi());
      return { status: 200, text, headers };
    },
  });
}

/** The page's own style and nothing else: no script could run even if one got into the page. */
function contentSecurityPolicy(): string {
  const style = createHash('sha256').update(REFERENCE_STYLE).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${style}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
