import Type from 'typebox';
import {
  Body,
  ErrorBody,
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  Nullable,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation } from '../operation.ts';
import { NewDocument } from './documents.ts';

/** The types of events that keep a space's documents in step with another system. */
export const DOCUMENT_EVENT_PREFIX = 'gatehouse.document.';
export const DOCUMENT_UPSERTED = 'gatehouse.document.upserted';
export const DOCUMENT_DELETED = 'gatehouse.document.deleted';
/** The longest `subject` of such an event, in characters. */
export const MAX_DOCUMENT_SUBJECT_LENGTH = 1000;

/** The `data` of an event that says what a document is. It says all of it: what it leaves out is not kept from before. */
export const UpsertedDocument = Body(
  {
    ...NewDocument.properties,
    documentId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'A UUID is the id of the document here, when the event is the first of its subject: a document with this id that was uploaded is taken over. Any other text is the sender’s own id, and is not used.',
      }),
    ),
    contentBase64: Type.Optional(
      Type.String({ contentEncoding: 'base64', description: 'A file of any known format.' }),
    ),
    mimeType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Of `contentBase64`; the ending of `fileName` comes first.',
      }),
    ),
  },
  { description: 'With exactly one of `text`, `html`, `markdown` and `contentBase64`.' },
);
export type UpsertedDocument = Type.Static<typeof UpsertedDocument>;

export const DocumentEventState = Type.Union([Type.Literal('applied'), Type.Literal('failed')], {
  description:
    'Whether the document is as this event says. When it `failed`, the document is as it was before.',
});
export type DocumentEventState = Type.Static<typeof DocumentEventState>;

export const DocumentEvent = Type.Object(
  {
    id: Uuid('Of the subject here; it stays when a newer event comes.'),
    spaceId: Uuid('The space.'),
    subject: Type.String({ description: 'Which document, in the sender’s words.' }),
    documentId: Nullable(Uuid('The document; null when there is none now.')),
    type: Type.Union([Type.Literal(DOCUMENT_UPSERTED), Type.Literal(DOCUMENT_DELETED)]),
    eventId: Type.String({ description: 'The `id` of the event.' }),
    source: Type.String({ description: 'The `source` of the event.' }),
    receivedAt: Timestamp('When it was accepted.'),
    state: DocumentEventState,
    failure: Nullable(ErrorBody),
    updatedAt: Timestamp('When it was applied, or failed.'),
  },
  { description: 'The newest event of a subject.' },
);
export type DocumentEvent = Type.Static<typeof DocumentEvent>;

const RetryResult = Type.Object({
  applied: Type.Integer({ description: 'How many are applied now.' }),
  failed: Type.Integer({ description: 'How many failed again.' }),
  next: Nullable(
    Type.String({ description: 'The cursor `after` to go on with; null when all were tried.' }),
  ),
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

const SpaceParams = Type.Object({ spaceId: Uuid('The space.') });
const DocumentEventParams = Type.Object({
  spaceId: Uuid('The space.'),
  documentEventId: Uuid('The document event.'),
});
const noSuchEvent = {
  message: 'There is no document event with this id in this space.',
  code: 'knowledge.event-not-found',
};

export const listDocumentEvents = operation({
  id: 'listDocumentEvents',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/document-events',
  summary: 'List what became of document events (any role, or a key with `read`)',
  description:
    'One for each subject: its newest event of type `gatehouse.document.upserted` or `gatehouse.document.deleted` that was looked at. With `state=failed` those whose event could not be applied, with the reason.',
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object({ ...ListQuery, state: Type.Optional(DocumentEventState) }),
  paramsExample: { state: 'failed' },
  answers: {
    200: {
      description: 'Document events, by when their subject was first met.',
      schema: ListOf(DocumentEvent),
      example: { items: [exampleFailed], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showDocumentEvent = operation({
  id: 'showDocumentEvent',
  feature: 'knowledge',
  method: 'GET',
  path: '/spaces/{spaceId}/document-events/{documentEventId}',
  summary: 'Show what became of a document event (any role, or a key with `read`)',
  credentials: ['session', 'apiKey'],
  params: DocumentEventParams,
  answers: {
    200: { description: 'The document event.', schema: DocumentEvent, example: exampleApplied },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchEvent },
});

export const retryDocumentEvent = operation({
  id: 'retryDocumentEvent',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/document-events/{documentEventId}/retry',
  summary: 'Try a failed document event again (edit rights, or a key with `knowledge:write`)',
  description:
    'Whatever becomes of it is in the answer: see `state`. One that was applied stays as it is. An event that retention has removed has to be sent again, with another `id`: 409.',
  credentials: ['session', 'apiKey'],
  params: DocumentEventParams,
  answers: {
    200: { description: 'The document event.', schema: DocumentEvent, example: exampleApplied },
  },
  errors: [400, 401, 403, 404, 409, 503],
  errorExamples: {
    404: noSuchEvent,
    409: {
      message: 'The event is not kept any more; send the document again in an event of its own id.',
      code: 'knowledge.event-gone',
    },
  },
});

export const retryDocumentEvents = operation({
  id: 'retryDocumentEvents',
  feature: 'knowledge',
  method: 'POST',
  path: '/spaces/{spaceId}/document-events/retry',
  summary: 'Try failed document events again (edit rights, or a key with `knowledge:write`)',
  description:
    '`limit` of them in the order of the list; go on with `after` while `next` is not null.',
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'What became of them.',
      schema: RetryResult,
      example: { applied: 1, failed: 0, next: null },
    },
  },
  errors: [400, 401, 403, 503],
});
