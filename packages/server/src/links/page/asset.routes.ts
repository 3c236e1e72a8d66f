import { widgetAsset, widgetLoader, widgetOpening } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptsCoding, anyone, notFound, route } from '../../http/index.ts';
import type { BuiltFile, BuiltWidget } from './built-files.ts';

/**
 * Scripts of any origin may load these, and so may a widget page whose sandbox takes its origin away:
 * they are the same for everybody.
 */
const FOR_ANYONE = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'Accept-Encoding',
};
/** A name holds a hash of the content. */
const FOR_EVER = { ...FOR_ANYONE, 'cache-control': 'public, max-age=31536000, immutable' };
/** Its name stays, and pages should have a new one soon after the service has it. */
const FOR_A_WHILE = {
  ...FOR_ANYONE,
  'cache-control': 'public, max-age=600, stale-while-revalidate=86400',
};

/** `GET /embed.js`, what it loads, and what the widget page loads. */
export function registerAssetRoutes(app: FastifyInstance, widget: BuiltWidget): void {
  route(app, widgetLoader, {
    caller: anyone,
    handle: ({ request }) => answerWith(widget.loader, request, FOR_A_WHILE),
  });

  route(app, widgetOpening, {
    caller: anyone,
    handle: ({ request }) => answerWith(widget.opening, request, FOR_A_WHILE),
  });

  route(app, widgetAsset, {
    caller: anyone,
    handle({ params, request }) {
      const file = widget.assets.get(params.name);
      if (file === undefined)
        throw notFound('widget.not-found', 'The widget has no file of this name.');
      return answerWith(file, request, FOR_EVER);
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
