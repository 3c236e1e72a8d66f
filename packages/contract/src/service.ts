import Type from 'typebox';
import { operation } from './operation.ts';

const Status = Type.Object({ status: Type.Literal('ok') });

export const health = operation({
  id: 'health',
  feature: 'http',
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the process lives',
  credentials: ['none'],
  answers: { 200: { description: 'It does.', schema: Status, example: { status: 'ok' } } },
  errors: [],
});

export const readiness = operation({
  id: 'readiness',
  feature: 'http',
  method: 'GET',
  path: '/readyz',
  summary: 'Whether requests can be served: storage reachable, migrations done',
  credentials: ['none'],
  answers: { 200: { description: 'They can.', schema: Status, example: { status: 'ok' } } },
  errors: [503],
  errorExamples: {
    503: { message: 'The service is not ready; try again soon.', code: 'http.not-ready' },
  },
});

export const metrics = operation({
  id: 'metrics',
  feature: 'http',
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the Prometheus text format',
  credentials: ['none'],
  answers: {
    200: {
      description: 'Counters, gauges and histograms.',
      mediaType: 'text/plain; version=0.0.4',
      example: 'gatehouse_http_requests_total{method="GET",route="/healthz",status="200"} 42\n',
    },
  },
  errors: [],
});

export const openApi = operation({
  id: 'openApi',
  feature: 'http',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This description',
  credentials: ['none'],
  answers: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      example: { openapi: '3.1.0' },
    },
  },
  errors: [],
});

export const reference = operation({
  id: 'reference',
  feature: 'http',
  method: 'GET',
  path: '/docs',
  summary: 'This description, to read',
  credentials: ['none'],
  answers: { 200: { description: 'A page.', mediaType: 'text/html', example: '<!doctype html>' } },
  errors: [],
});

export const referenceScript = operation({
  id: 'referenceScript',
  feature: 'http',
  method: 'GET',
  path: '/docs/assets/{name}',
  summary: 'The script of that page',
  description: 'Its name contains a hash of its content, so clients may cache it without a limit.',
  credentials: ['none'],
  params: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }),
  paramsExample: { name: 'scalar-Zk3v0q1bN8yT5rWc.js' },
  answers: { 200: { description: 'The file.', mediaType: 'text/javascript', example: '' } },
  errors: [404],
});

export const widgetPage = operation({
  id: 'widgetPage',
  feature: 'widget',
  method: 'GET',
  path: '/widget/{token}',
  summary: 'The widget behind a link',
  description:
    'A page for any token: it exchanges the token and shows the assistant, or why it cannot.',
  credentials: ['none'],
  params: Type.Object({ token: Type.String({ minLength: 1 }) }),
  paramsExample: { token: 'Zk3v0q1bN8yT5rWc7hXe2uJm4sLp6oDa9gFiQxYzVtE' },
  answers: {
    200: { description: 'The page.', mediaType: 'text/html', example: '<!doctype html>' },
  },
  errors: [],
});

export const widgetAsset = operation({
  id: 'widgetAsset',
  feature: 'widget',
  method: 'GET',
  path: '/widget/assets/{name}',
  summary: 'A script or style of the widget',
  description: 'Its name holds a hash of what is in it: it may be kept for ever.',
  credentials: ['none'],
  params: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }),
  paramsExample: { name: 'main-Zk3v0q1b.js' },
  answers: { 200: { description: 'The file.', mediaType: 'text/javascript', example: '' } },
  errors: [404],
});

export const widgetLoader = operation({
  id: 'widgetLoader',
  feature: 'widget',
  method: 'GET',
  path: '/embed.js',
  summary: 'The script that puts the widget into a page',
  description: 'Included with `data-token`; it also defines the element `<gatehouse-chat>`.',
  credentials: ['none'],
  answers: { 200: { description: 'The script.', mediaType: 'text/javascript', example: '' } },
  errors: [],
});

export const widgetOpening = operation({
  id: 'widgetOpening',
  feature: 'widget',
  method: 'GET',
  path: '/embed-chat.js',
  summary: 'What that script loads when the widget is opened',
  description: 'A module for `/embed.js` alone, which asks for it with the hash of what is in it.',
  credentials: ['none'],
  answers: { 200: { description: 'The script.', mediaType: 'text/javascript', example: '' } },
  errors: [],
});
