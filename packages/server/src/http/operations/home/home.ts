import { home } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, notFound, route } from '../../route.ts';
import { HOME_PAGE, HOME_POLICY } from './page.ts';

const PAGE_HEADERS = {
  vary: 'Accept',
  'content-security-policy': HOME_POLICY,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/** Serves a page with links at `/` to browsers. Other clients get a 404. */
export function registerHome(app: FastifyInstance): void {
  route(app, home, {
    caller: anyone,
    handle({ request }) {
      if (!isBrowser(request.headers.accept))
        throw notFound(
          'http.not-found',
          'This route is only for browsers; see /docs/ for all routes.',
        );
      return { status: 200, text: HOME_PAGE, headers: PAGE_HEADERS };
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
