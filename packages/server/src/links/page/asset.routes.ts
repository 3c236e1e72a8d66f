import { widgetAsset, widgetLoader, widgetOpening } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptsCoding, anyone, notFound, route } from '../../http/index.ts';
import type { BuiltFile, BuiltWidget } from './built-files.ts';

/** Assets are public: pages on any origin may load them, including sandboxed pages with an opaque origin. */
const PUBLIC = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'Accept-Encoding',
};
/** For files with a content hash in their name. */
const IMMUTABLE = { ...PUBLIC, 'cache-control': 'public, max-age=31536000, immutable' };
/** For files with a fixed name. Pages get a new version within ten minutes. */
const SHORT_LIVED = {
  ...PUBLIC,
  'cache-control': 'public, max-age=600, stale-while-revalidate=86400',
};

/** Registers `GET /embed.js`, the script that it loads, and the assets of the widget page. */
export function registerAssetRoutes(app: FastifyInstance, widget: BuiltWidget): void {
  route(app, widgetLoader, {
    caller: anyone,
    handle: ({ request }) => answerWith(widget.loader, request, SHORT_LIVED),
  });

  route(app, widgetOpening, {
    caller: anyone,
    handle: ({ request }) => answerWith(widget.opening, request, SHORT_LIVED),
  });

  route(app, widgetAsset, {
    caller: anyone,
    handle({ params, request }) {
      const file = widget.assets.get(params.name);
      if (file === undefined)
        throw notFound('widget.not-found', 'The widget has no file with this name.');
      return answerWith(file, request, IMMUTABLE);
    },
  });
}

function answerWith(file: BuiltFile, request: FastifyRequest, headers: Record<string, string>) {
  const accepted = request.headers['accept-encoding'];
  const [encoding, bytes] = acceptsCoding(accepted, 'br')
    ? (['br', file.brotli] as const)
    : acceptsCoding(accepted, 'gzip')
      ? (['gzip', file.gzip] as const)
      : ([null, file.plain] as const);
  return {
    status: 200,
    bytes,
    headers: {
      ...headers,
      'content-type': `${file.type}; charset=utf-8`,
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
  } as const;
}
