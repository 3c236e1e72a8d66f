import Type from 'typebox';
import {
  Body,
  Bool,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  FreeObject,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  SpaceParams,
  Str,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, jsonPage, operation, PERMISSIONS } from '../operation.ts';

export const MAX_PROJECTIONS = 20;
export const MAX_RECORD_FIELDS = 50;
export const MAX_RECORD_KEY_LENGTH = 500;
const MAX_TEMPLATE_LENGTH = 5000;
export const FIELD_NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_]{0,63}$';

const Pattern = Text({ description: 'Value or prefix.', minLength: 1, maxLength: 1000 });
const Types = Type.Array(Pattern, {
  minItems: 1,
  maxItems: 100,
  description: 'Types of events to read. A trailing `*` matches a prefix.',
});
const Sources = Nullable(
  Type.Array(Pattern, {
    minItems: 1,
    maxItems: 100,
    description:
      'Sources of events to read. A trailing `*` matches a prefix. `null` or omitted: all sources.',
  }),
);
const DeletedBy = Type.Array(Pattern, {
  maxItems: 100,
  description:
    'Types of events that delete their record, with the same patterns as `types`. They need not be in `types`.',
});
const Key = Text({
  description:
    'Member of an event that identifies its record: `subject`, or a JSON pointer (RFC 6901) into `data`, such as `/order/id`. An event without this member, or with a value that is neither a string nor a number, is skipped. The number `1` and the string `"1"` are the same key. Integers beyond 2^53 keep all their digits.',
  minLength: 1,
  maxLength: 1000,
});
const Pointer = Text({
  description: 'JSON pointer (RFC 6901) into `data`, such as `/customer/id`.',
  maxLength: 1000,
});
const Fields = Type.Record(Type.String(), Pointer, {
  description:
    'Up to 50 fields of a record: the name of the field, made of letters, digits and `_`, and its JSON pointer into `data`. The name `key` is reserved. If several events contain the value, the event with the latest `time` wins. A `time` after the receipt of the event counts as the time of receipt. If the times are equal, the event that was stored last wins. A value of more than 4,000 characters as JSON counts as `null`.',
});
const Template = (description: string, maxLength: number) =>
  Text({
    description: `${description} \`{name}\` stands for the value of the field, \`{key}\` for the key. There are no other placeholders, expressions or conditions.`,
    minLength: 1,
    maxLength,
  });
const Title = Template('Title of a record, for citations.', 500);
const RecordText = Template(
  'Text of a record. The newest events of the record are listed after it.',
  MAX_TEMPLATE_LENGTH,
);
const Metadata = Type.Record(
  Type.String(),
  Type.Union([
    Body({ field: Text({ description: 'Name of the field.', minLength: 1, maxLength: 64 }) }),
    Body({ value: Type.Unknown({ description: 'Constant JSON value.' }) }),
  ]),
  {
    description:
      'Metadata of a record for permission filters: for each member either `{ "field": name }` or `{ "value": constant }`. A member whose field has no value is omitted. The rules for the metadata of documents apply; a record with a value that breaks them, or with one of more than 4,000 characters as JSON, is hidden.',
  },
);

const definition = {
  name: Text({
    description:
      'Singular name of the records, such as `Order`. The heading of a record consists of this name and its key.',
    minLength: 1,
    maxLength: 100,
  }),
  types: Types,
  sources: Type.Optional(Sources),
  deletedBy: Type.Optional(DeletedBy),
  key: Key,
  fields: Fields,
  title: Title,
  text: RecordText,
  metadata: Metadata,
};

export const NewProjection = Body(definition);
export type NewProjection = Type.Static<typeof NewProjection>;

export const ProjectionChange = Body({
  name: Type.Optional(definition.name),
  types: Type.Optional(Types),
  sources: Type.Optional(Sources),
  deletedBy: Type.Optional(DeletedBy),
  key: Type.Optional(Key),
  fields: Type.Optional(Fields),
  title: Type.Optional(Title),
  text: Type.Optional(RecordText),
  metadata: Type.Optional(Metadata),
});
export type ProjectionChange = Type.Static<typeof ProjectionChange>;

export const ProjectionState = OneOf(
  ['clearing', 'building', 'publishing', 'live'],
  '`clearing`: the records of the previous definition are being removed. `building`: the log is being read. `publishing`: the records are being made searchable. `live`: the records follow the events.',
);

export const Projection = Type.Object({
  id: Uuid('ID of the projection.'),
  spaceId: Uuid('ID of the space.'),
  ...definition,
  sources: Sources,
  deletedBy: DeletedBy,
  state: ProjectionState,
  position: Int('Position of the last event that was read.'),
  newest: Int('Position of the newest event of the space. `position` / `newest` is the progress.'),
  records: Int('Number of records that searches can find.'),
  isFull: Bool(
    '`true`: the projection has its maximum number of records, including records that were deleted by events. Events with other keys are ignored; rebuild the projection after its definition or the limit has changed.',
  ),
  warnings: Type.Array(Type.String(), {
    description: 'Possible problems of the definition. They do not affect the projection.',
  }),
  createdAt: Timestamp('Time of creation.'),
  updatedAt: Timestamp('Time of the last change of the definition.'),
});
export type Projection = Type.Static<typeof Projection>;

export const ProjectionList = ListOf(Projection);

const RecordEvent = Type.Object({
  id: Str('`id` of the event.'),
  source: Str('`source` of the event.'),
  type: Str('`type` of the event.'),
  time: Timestamp(
    '`time` of the event, or the time of receipt if it is earlier or the event has no `time`.',
  ),
  position: Int('Position of the event in the log of the space.'),
});

export const DerivedRecord = Type.Object({
  key: Str('Key of the record.'),
  documentId: Nullable(
    Uuid('ID of the document that searches find and answers cite. `null` in a trial.'),
  ),
  title: Str('Title of the record.'),
  text: Str('Text of the record with its newest events.'),
  metadata: FreeObject('Metadata of the record.'),
  fields: Type.Record(
    Type.String(),
    Type.Object({
      value: Type.Unknown({ description: 'Value of the field.' }),
      event: RecordEvent,
    }),
    { description: 'Values of the fields, with the event that set each of them.' },
  ),
  history: Type.Array(RecordEvent, { description: 'Up to 20 newest events, oldest first.' }),
});
export type DerivedRecord = Type.Static<typeof DerivedRecord>;

export const DerivedRecordList = ListOf(DerivedRecord);

export const ProjectionTrial = Type.Object({
  events: Int('Number of events that match the definition, among the last hundred.'),
  skipped: Int('Number of matching events without a usable key.'),
  records: Type.Array(DerivedRecord, { description: 'The resulting records, ordered by key.' }),
});
export type ProjectionTrial = Type.Static<typeof ProjectionTrial>;

const exampleDefinition: NewProjection = {
  name: 'Order',
  types: ['example.order.*'],
  sources: ['https://shop.example/orders'],
  deletedBy: ['example.order.deleted'],
  key: 'subject',
  fields: { status: '/status', carrier: '/carrier', customer: '/customerId' },
  title: 'Order {key}',
  text: 'Order {key} is {status}.',
  metadata: { customer: { field: 'customer' } },
};
const exampleProjection: Projection = {
  id: '0199f3a2-c5d1-7e42-8a90-6b1f3c7d2e58',
  spaceId: EXAMPLE_SPACE_ID,
  ...exampleDefinition,
  sources: ['https://shop.example/orders'],
  deletedBy: ['example.order.deleted'],
  state: 'live',
  position: 1042,
  newest: 1042,
  records: 310,
  isFull: false,
  warnings: [],
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
};
const exampleEvent = {
  id: '1001-3',
  source: 'https://shop.example/orders',
  type: 'example.order.shipped',
  time: EXAMPLE_TIME,
  position: 1040,
};
const exampleRecord: DerivedRecord = {
  key: '1001',
  documentId: '0199f3a2-c8b4-7f15-9c3e-1d5a7e9b2f60',
  title: 'Order 1001',
  text: 'Order 1001 is shipped.\n\n18 October 2026: status: shipped (event 1001-3).',
  metadata: { customer: 'c1' },
  fields: { status: { value: 'shipped', event: exampleEvent } },
  history: [exampleEvent],
};

const ProjectionParams = Type.Object({
  ...SpaceParams.properties,
  projectionId: Uuid('ID of the projection.'),
});

const forViewers = {
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
} as const;
const forEditors = {
  permission: PERMISSIONS.editOr('knowledge:write'),
  credentials: ['session', 'apiKey'],
} as const;

const onCollection = {
  feature: 'knowledge',
  path: '/spaces/{spaceId}/projections',
  params: SpaceParams,
} as const;

const onProjection = {
  feature: 'knowledge',
  path: '/spaces/{spaceId}/projections/{projectionId}',
  params: ProjectionParams,
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: errorOf('knowledge.no-projection', 'No projection with this ID exists in this space.'),
  },
} as const;

export const createProjection = operation({
  ...onCollection,
  ...forEditors,
  id: 'createProjection',
  method: 'POST',
  idempotent: true,
  summary: 'Derive records from events',
  description:
    'A projection turns the events of a space into records that searches find and the assistant cites, under the same filters as documents. It reads the stored events first and then follows new events. A space has at most 20 projections.',
  body: NewProjection,
  bodyExample: exampleDefinition,
  responses: {
    201: {
      description: 'The created projection.',
      schema: Projection,
      example: { ...exampleProjection, state: 'building', position: 0, records: 0 },
      headers: { Location: { description: 'Path of the projection.', schema: Type.String() } },
    },
  },
  errors: [400, 401, 403, 409],
  errorExamples: {
    409: errorOf(
      'knowledge.too-many-projections',
      'A space can have at most 20 projections; delete one first.',
    ),
  },
});

export const listProjections = operation({
  ...onCollection,
  ...forViewers,
  id: 'listProjections',
  method: 'GET',
  summary: 'List projections',
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Projections, oldest first.', ProjectionList, [exampleProjection]),
  },
  errors: [400, 401, 403],
});

export const tryProjection = operation({
  ...onCollection,
  ...forEditors,
  id: 'tryProjection',
  method: 'POST',
  path: '/spaces/{spaceId}/projections/try',
  summary: 'Try a projection',
  description:
    'Applies a definition to the last hundred events of the space and returns the records. Stores nothing.',
  body: NewProjection,
  bodyExample: exampleDefinition,
  responses: {
    200: json('The records.', ProjectionTrial, {
      events: 3,
      skipped: 0,
      records: [{ ...exampleRecord, documentId: null }],
    }),
  },
  errors: [400, 401, 403],
});

export const showProjection = operation({
  ...onProjection,
  ...forViewers,
  id: 'showProjection',
  method: 'GET',
  summary: 'Get a projection and its progress',
  responses: { 200: json('The projection.', Projection, exampleProjection) },
});

export const changeProjection = operation({
  ...onProjection,
  ...forEditors,
  id: 'changeProjection',
  method: 'PATCH',
  summary: 'Change a projection',
  description:
    'Omitted members keep their values. As soon as the response arrives, no link, search or answer shows the earlier records. They are removed and derived from the log again.',
  body: ProjectionChange,
  bodyExample: { text: 'Order {key} is {status} by {carrier}.' },
  responses: {
    200: json('The projection.', Projection, {
      ...exampleProjection,
      state: 'clearing',
      position: 0,
      records: 0,
    }),
  },
});

export const rebuildProjection = operation({
  ...onProjection,
  ...forEditors,
  id: 'rebuildProjection',
  method: 'POST',
  path: '/spaces/{spaceId}/projections/{projectionId}/rebuild',
  summary: 'Rebuild the records of a projection',
  description:
    'Reads the log of the space again. The records stay searchable until they are replaced. Values from events past the retention of the space are lost.',
  responses: {
    202: json('The projection. `position` shows the progress.', Projection, {
      ...exampleProjection,
      state: 'building',
      position: 0,
    }),
  },
});

export const deleteProjection = operation({
  ...onProjection,
  ...forEditors,
  id: 'deleteProjection',
  method: 'DELETE',
  summary: 'Delete a projection with its records',
  description:
    'As soon as the response arrives, no link, search or answer shows the records. They are removed in the background. The events remain.',
  responses: { 204: { description: 'The projection was deleted.' } },
});

export const listRecords = operation({
  ...onProjection,
  ...forViewers,
  id: 'listRecords',
  method: 'GET',
  path: '/spaces/{spaceId}/projections/{projectionId}/records',
  summary: 'List the records of a projection',
  query: Type.Object({
    ...ListQuery,
    key: Type.Optional(
      Text({
        description: 'Key of the record. Default: all records.',
        minLength: 1,
        maxLength: MAX_RECORD_KEY_LENGTH,
      }),
    ),
  }),
  responses: {
    200: jsonPage('Records, ordered by key.', DerivedRecordList, [exampleRecord]),
  },
});
