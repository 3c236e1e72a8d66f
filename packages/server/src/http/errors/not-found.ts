import { ApiError, operations } from '@gatehouse/contract';

const routes = operations.map((operation) => ({
  method: operation.method,
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The answer for a path and method that no operation has: 405 with `Allow`, or 404. */
export function noSuchRoute(url: string): ApiError {
  const path = url.split('?', 1)[0] ?? '';
  const methods = routes.filter((route) => route.pattern.test(path)).map((route) => route.method);
  if (methods.length === 0)
    return new ApiError({
      status: 404,
      code: 'http.not-found',
      message: 'There is no such route; /docs lists the ones there are.',
    });
  const allow = [
    ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  ];
  return new ApiError({
    status: 405,
    code: 'http.method-not-allowed',
    message: `This route takes ${allow.join(', ')}.`,
    headers: { allow: allow.join(', ') },
  });
}
