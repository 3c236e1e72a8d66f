import Type from 'typebox';
import { Str } from './common.ts';
import { errorOf, json, operation } from './operation.ts';

export const ServiceStatus = Type.Object({
  status: Type.Literal('ok', { description: 'Always `ok`.' }),
});

export const health = operation({
  id: 'health',
  feature: 'http',
  method: 'GET',
  path: '/healthz',
  summary: 'Check liveness',
  credentials: ['none'],
  responses: { 200: json('The process is running.', ServiceStatus, { status: 'ok' }) },
  errors: [],
});

export const readiness = operation({
  id: 'readiness',
  feature: 'http',
  method: 'GET',
  path: '/readyz',
  summary: 'Check readiness',
  description:
    'Reports whether the process can serve requests: the database is reachable, all migrations are applied, and the process is not shutting down.',
  credentials: ['none'],
  responses: { 200: json('The process can serve requests.', ServiceStatus, { status: 'ok' }) },
  errors: [503],
  errorExamples: { 503: errorOf('http.not-ready', 'The service is not ready; retry later.') },
});

export const metrics = operation({
  id: 'metrics',
  feature: 'http',
  method: 'GET',
  path: '/metrics',
  summary: 'Get metrics in the Prometheus text format',
  credentials: ['none'],
  responses: {
    200: {
      description: 'Counters, gauges and histograms.',
      mediaType: 'text/plain; version=0.0.4',
      example: 'gatehouse_http_requests_total{method="GET",route="/healthz",status="200"} 42\n',
    },
  },
  errors: [],
});

export const home = operation({
  id: 'home',
  feature: 'http',
  method: 'GET',
  path: '/',
  summary: 'Open the console in a browser',
  description:
    'Redirects to `/console` if the `Accept` header names HTML. Other clients get a 404.',
  credentials: ['none'],
  responses: {
    302: {
      description: 'Redirect to the console.',
      headers: { location: { description: 'Always `/console`.', schema: Type.String() } },
    },
  },
  errors: [404],
  errorExamples: {
    404: errorOf(
      'http.not-found',
      'This route is only for browsers; see /docs/api for all routes.',
    ),
  },
});

export const openApi = operation({
  id: 'openApi',
  feature: 'http',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get this API description',
  credentials: ['none'],
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      schema: Type.Object({ openapi: Str('Version of OpenAPI.') }, { additionalProperties: true }),
      example: { openapi: '3.1.0' },
    },
  },
  errors: [],
});

const DOCUMENTATION_PAGE = {
  200: {
    description: 'An HTML page. Its `ETag` changes with its content.',
    mediaType: 'text/html',
    example: '<!doctype html>',
  },
  304: { description: 'The client has the current version (`If-None-Match`).' },
} as const;
const NOT_BUILT = {
  404: errorOf('http.not-found', 'The documentation has no such page; see /docs/ for all pages.'),
} as const;

export const openDocumentation = operation({
  id: 'openDocumentation',
  feature: 'http',
  method: 'GET',
  path: '/docs',
  summary: 'Go to the documentation',
  credentials: ['none'],
  responses: { 302: { description: 'A redirect to `/docs/`.' } },
  errors: [],
});

export const documentation = operation({
  id: 'documentation',
  feature: 'http',
  method: 'GET',
  path: '/docs/',
  summary: 'Read the documentation in a browser',
  credentials: ['none'],
  responses: DOCUMENTATION_PAGE,
  errors: [404],
  errorExamples: NOT_BUILT,
});

export const documentationPage = operation({
  id: 'documentationPage',
  feature: 'http',
  method: 'GET',
  path: '/docs/{page}',
  summary: 'Read a page of the documentation',
  credentials: ['none'],
  params: Type.Object({
    page: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the page.' }),
  }),
  paramsExample: { page: 'configuration' },
  responses: DOCUMENTATION_PAGE,
  errors: [400, 404],
  errorExamples: NOT_BUILT,
});

export const documentationFile = operation({
  id: 'documentationFile',
  feature: 'http',
  method: 'GET',
  path: '/docs/{folder}/{name}',
  summary: 'Read a guide, a decision, or a file of the documentation',
  description:
    'The folders are `guides`, `decisions` and `assets`. Scripts, styles and the search index have a hash of their content in their name, so clients may cache them indefinitely.',
  credentials: ['none'],
  params: Type.Object({
    folder: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the folder.' }),
    name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the page or file.' }),
  }),
  paramsExample: { folder: 'guides', name: 'get-started' },
  responses: {
    200: {
      description: 'An HTML page or a file.',
      mediaType: 'text/html',
      otherMediaTypes: [
        'application/json',
        'image/png',
        'image/svg+xml',
        'text/css',
        'text/javascript',
      ],
      example: '<!doctype html>',
    },
    302: { description: 'A redirect to the current path of a page that was moved.' },
    304: { description: 'The client has the current version (`If-None-Match`).' },
  },
  errors: [400, 404],
  errorExamples: NOT_BUILT,
});

export const reference = operation({
  id: 'reference',
  feature: 'http',
  method: 'GET',
  path: '/docs/api',
  summary: 'Read this API description in a browser',
  credentials: ['none'],
  responses: {
    200: { description: 'An HTML page.', mediaType: 'text/html', example: '<!doctype html>' },
  },
  errors: [],
});

export const referenceScript = operation({
  id: 'referenceScript',
  feature: 'http',
  method: 'GET',
  path: '/docs/api/assets/{name}',
  summary: 'Get the script of the API reference page',
  description:
    'The file name contains a hash of the content, so clients may cache the file indefinitely.',
  credentials: ['none'],
  params: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, description: 'File name.' }),
  }),
  paramsExample: { name: 'scalar-Zk3v0q1bN8yT5rWc.js' },
  responses: { 200: { description: 'The file.', mediaType: 'text/javascript', example: '' } },
  errors: [400, 404],
});

export const widgetPage = operation({
  id: 'widgetPage',
  feature: 'widget',
  method: 'GET',
  path: '/widget/{token}',
  summary: 'Open an access link',
  description:
    'Returns the page of the assistant. The page exchanges the token and shows the assistant, or the reason why the link does not work. For an active link, it shows a text field before that.',
  credentials: ['none'],
  params: Type.Object({ token: Type.String({ minLength: 1, description: 'Token of the link.' }) }),
  paramsExample: { token: 'Zk3v0q1bN8yT5rWc7hXe2uJm4sLp6oDa9gFiQxYzVtE' },
  responses: {
    200: { description: 'The page.', mediaType: 'text/html', example: '<!doctype html>' },
  },
  errors: [],
});

export const consolePage = operation({
  id: 'consolePage',
  feature: 'http',
  method: 'GET',
  path: '/console',
  summary: 'Open the console',
  description:
    'Returns the same page for `/console` and every path below it, except `/console/assets` and `/console/session`.',
  credentials: ['none'],
  responses: {
    200: { description: 'The page.', mediaType: 'text/html', example: '<!doctype html>' },
    302: {
      description: 'Redirect to the base URL from another loopback name of the service.',
      headers: { location: { description: 'URL of the page.', schema: Type.String() } },
    },
  },
  errors: [],
});

export const consoleAsset = operation({
  id: 'consoleAsset',
  feature: 'http',
  method: 'GET',
  path: '/console/assets/{name}',
  summary: 'Get a script or style sheet of the console',
  description: 'The names contain a content hash, so the files can be cached forever.',
  credentials: ['none'],
  params: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the file.' }),
  }),
  paramsExample: { name: 'main-B4kP1oaf.js' },
  responses: {
    200: {
      description: 'The file.',
      mediaType: 'text/javascript',
      otherMediaTypes: ['text/css'],
      example: "import './style.js';",
    },
  },
  errors: [400, 404],
  errorExamples: { 404: errorOf('http.not-found', 'The console has no file with this name.') },
});

export const widgetAsset = operation({
  id: 'widgetAsset',
  feature: 'widget',
  method: 'GET',
  path: '/widget/assets/{name}',
  summary: 'Get a script or style sheet of the widget',
  description:
    'The file name contains a hash of the content, so clients may cache the file indefinitely.',
  credentials: ['none'],
  params: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, description: 'File name.' }),
  }),
  paramsExample: { name: 'main-Zk3v0q1b.js' },
  responses: {
    200: {
      description: 'The script or style sheet.',
      mediaType: 'text/javascript',
      otherMediaTypes: ['text/css'],
      example: '',
    },
  },
  errors: [400, 404],
});

export const widgetLoader = operation({
  id: 'widgetLoader',
  feature: 'widget',
  method: 'GET',
  path: '/embed.js',
  summary: 'Get the embed script',
  description:
    'Adds the widget to a page. The script element passes the token of a link in `data-token`. The script also defines the element `<gatehouse-chat>`.',
  credentials: ['none'],
  responses: { 200: { description: 'The script.', mediaType: 'text/javascript', example: '' } },
  errors: [],
});

export const widgetOpening = operation({
  id: 'widgetOpening',
  feature: 'widget',
  method: 'GET',
  path: '/embed-chat.js',
  summary: 'Get the second part of the embed script',
  description:
    '`/embed.js` loads this module when the pointer or the focus reaches the button of the widget, or at once if the chat is part of the page. The URL contains a hash of the content.',
  credentials: ['none'],
  responses: { 200: { description: 'The script.', mediaType: 'text/javascript', example: '' } },
  errors: [],
});
