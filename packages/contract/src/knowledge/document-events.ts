import Type from 'typebox';
import {
  Body,
  ErrorBody,
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  SpaceParams,
  Str,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import { NewDocument } from './document-uploads.ts';

/** Prefix of the event types that synchronise documents with another system. */
export const DOCUMENT_EVENT_PREFIX = 'gatehouse.document.';
export const DOCUMENT_UPSERTED = 'gatehouse.document.upserted';
export const DOCUMENT_DELETED = 'gatehouse.document.deleted';
/** Maximum length of the `subject` of a document event in UTF-16 code units. */
export const MAX_DOCUMENT_SUBJECT_LENGTH = 1000;
/** Maximum size of the `subject` of a document event in UTF-8. An index of PostgreSQL has no room for more. */
export const MAX_DOCUMENT_SUBJECT_BYTES = 2400;

/** The `data` of an upsert event. It replaces the whole document, including its metadata. */
export const UpsertedDocument = Body(
  {
    ...NewDocument.properties,
    documentId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'ID of the document. Used only if it is a UUID and this is the first event of its `subject`; otherwise ignored. If an uploaded document has this ID, that document is synchronised with the subject from then on.',
      }),
    ),
    contentBase64: Type.Optional(
      Type.String({
        contentEncoding: 'base64',
        description: 'A file of any supported format, in base64.',
      }),
    ),
    mimeType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Media type of `contentBase64`. The extension of `fileName` takes precedence.',
      }),
    ),
  },
  { description: 'Requires exactly one of `text`, `html`, `markdown` and `contentBase64`.' },
);
export type UpsertedDocument = Type.Static<typeof UpsertedDocument>;

export const DocumentEventState = OneOf(
  ['applied', 'failed'],
  '`applied`: the document matches the event. `failed`: the event could not be applied and the document is unchanged.',
);
export type DocumentEventState = Type.Static<typeof DocumentEventState>;

export const DocumentEvent = Type.Object(
  {
    id: Uuid('ID of the subject. It stays the same for newer events of the subject.'),
    spaceId: Uuid('ID of the space.'),
    subject: Str(
      'The `subject` of the event, which identifies the document in the sender’s system.',
    ),
    documentId: Nullable(Uuid('ID of the document. `null`: the document does not exist.')),
    type: OneOf([DOCUMENT_UPSERTED, DOCUMENT_DELETED], 'The `type` of the event.'),
    eventId: Str('The `id` of the event.'),
    source: Str('The `source` of the event.'),
    receivedAt: Timestamp('Time at which the event was accepted.'),
    state: DocumentEventState,
    failure: Nullable(ErrorBody),
    updatedAt: Timestamp('Time at which the event was applied or failed.'),
  },
  { description: 'The newest document event of a subject and its result.' },
);
export type DocumentEvent = Type.Static<typeof DocumentEvent>;

export const DocumentEventList = ListOf(DocumentEvent);

export const RetryResult = Type.Object({
  applied: Int('Number of events that were applied.'),
  failed: Int('Number of events that failed again.'),
  next: Nullable(Str('Cursor of the next page. `null` on the last page.')),
});

const exampleApplied: DocumentEvent = {
  id: '0199f3a2-b270-7d15-8f42-0c6a91e5d3b8',
  spaceId: EXAMPLE_SPACE_ID,
  subject: 'wiki/returns',
  documentId: EXAMPLE_DOCUMENT_ID,
  type: DOCUMENT_UPSERTED,
  eventId: 'returns-rev-18',
  source: 'https://wiki.example',
  receivedAt: EXAMPLE_TIME,
  state: 'applied',
  failure: null,
  updatedAt: EXAMPLE_TIME,
};
const exampleFailed: DocumentEvent = {
  ...exampleApplied,
  state: 'failed',
  failure: {
    message: 'The event has a problem: data.fileName: is required.',
    code: 'knowledge.invalid',
    issues: [{ message: 'data.fileName: is required' }],
  },
};

const DocumentEventParams = Type.Object({
  spaceId: Uuid('ID of the space.'),
  documentEventId: Uuid('ID of the document event.'),
});
const noSuchEvent = errorOf(
  'knowledge.event-not-found',
  'This space has no document event with this ID.',
);

export const listDocumentEvents = operation({
  id: 'listDocumentEvents',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/document-events',
  summary: 'List document events and their results',
  description:
    'Returns one item per subject: its newest processed event of the type `gatehouse.document.upserted` or `gatehouse.document.deleted`. With `state=failed`, the list contains only the events that could not be applied, with the reason.',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object({ ...ListQuery, state: Type.Optional(DocumentEventState) }),
  paramsExample: { state: 'failed' },
  responses: {
    200: jsonPage(
      'Document events, ordered by the first event of their subject.',
      DocumentEventList,
      [exampleFailed],
    ),
  },
  errors: [400, 401, 403],
});

export const showDocumentEvent = operation({
  id: 'showDocumentEvent',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/document-events/{documentEventId}',
  summary: 'Get a document event and its result',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  params: DocumentEventParams,
  responses: { 200: json('The document event.', DocumentEvent, exampleApplied) },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchEvent },
});

export const retryDocumentEvent = operation({
  id: 'retryDocumentEvent',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/document-events/{documentEventId}/retry',
  summary: 'Retry a failed document event',
  description:
    'The `state` in the response is the new result. An applied event is not applied again. If retention has removed the event, the response is 409; send the document again in an event with a new `id`.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: DocumentEventParams,
  responses: { 200: json('The document event.', DocumentEvent, exampleApplied) },
  errors: [400, 401, 403, 404, 409, 503],
  errorExamples: {
    404: noSuchEvent,
    409: errorOf(
      'knowledge.event-gone',
      'The event is past the retention of its space; send the document in a new event.',
    ),
  },
});

export const retryDocumentEvents = operation({
  id: 'retryDocumentEvents',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/document-events/retry',
  summary: 'Retry failed document events',
  description:
    'Retries up to `limit` events in the order of the list. To retry all, repeat the request with `next` as `after` until `next` is `null`.',
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object(ListQuery),
  responses: {
    200: json('The number of events per result.', RetryResult, {
      applied: 1,
      failed: 0,
      next: null,
    }),
  },
  errors: [400, 401, 403, 503],
});
