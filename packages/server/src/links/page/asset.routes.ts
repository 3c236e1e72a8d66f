import { widgetAsset, widgetLoader, widgetOpening } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { fileResponse } from '../../http/built-files/index.ts';
import { anyone, notFound, route } from '../../http/index.ts';
import type { BuiltWidget } from './built-files.ts';

/** Assets are public: pages on any origin may load them, including sandboxed pages with an opaque origin. */
const PUBLIC = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
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
    handle: ({ request }) => fileResponse(widget.loader, request, SHORT_LIVED),
  });

  route(app, widgetOpening, {
    caller: anyone,
    handle: ({ request }) => fileResponse(widget.opening, request, SHORT_LIVED),
  });

  route(app, widgetAsset, {
    caller: anyone,
    handle({ params, request }) {
      const file = widget.assets.get(params.name);
      if (file === undefined)
        throw notFound('widget.not-found', 'The widget has no file with this name.');
      return fileResponse(file, request, IMMUTABLE);
    },
  });
}
