import { home } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../api-errors.ts';
import { anyone, route } from '../../route.ts';

/** Redirects browsers from `/` to the console. Other clients get a 404. */
export function registerHome(app: FastifyInstance): void {
  route(app, home, {
    caller: anyone,
    handle({ request }) {
      if (!isBrowser(request.headers.accept))
        throw notFound(
          'http.not-found',
          'This route is only for browsers; see /docs/api for all routes.',
        );
      return { status: 302, headers: { location: '/console', vary: 'Accept' } };
    },
  });
}

/** Reports whether an `Accept` header names HTML, as the headers of browsers do. `*` does not count. */
export function isBrowser(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const isRejected = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return (type === 'text/html' || type === 'application/xhtml+xml') && !isRejected;
  });
}
