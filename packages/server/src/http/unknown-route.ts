import { ApiError, operations } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import { routePath } from './route.ts';

const routes = operations.map((operation) => ({
  method: operation.method,
  path: operation.path,
  url: routePath(operation),
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Returns the error for a request without an operation: 405 with `Allow` if the path exists, otherwise 404. */
export function unknownRoute({ url, server }: FastifyRequest): ApiError {
  const path = url.split('?', 1)[0] ?? '';
  const exact = routes.filter((route) => route.path === path);
  const found = exact.length > 0 ? exact : routes.filter((route) => route.pattern.test(path));
  if (found.length === 0)
    return new ApiError({
      status: 404,
      code: 'http.not-found',
      message: 'This route does not exist; see /docs/api for all routes.',
    });
  const methods = withHead(found.map(({ method }) => method));
  // Preflights and handshakes are not operations.
  const hasOptions = found.some((route) => server.hasRoute({ method: 'OPTIONS', url: route.url }));
  const allow = [...new Set([...methods, ...(hasOptions ? ['OPTIONS'] : [])])].join(', ');
  return new ApiError({
    status: 405,
    code: 'http.method-not-allowed',
    message: `This route accepts only ${allow}.`,
    headers: { allow },
  });
}

/** Returns the methods that routes accept: `HEAD` in addition to each `GET`. */
export function withHead(methods: readonly string[]): string[] {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
