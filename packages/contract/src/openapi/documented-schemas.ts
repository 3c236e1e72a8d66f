import type { DocumentedSchema } from '../common.ts';
import { StandardCloudEvent } from '../events/events.ts';
import type { SchemaObject } from './document.ts';

type Name = DocumentedSchema | 'FilterPredicate' | 'FilterValue';

const reference = (name: Name): SchemaObject => ({ $ref: `#/components/schemas/${name}` });
const filters = (description: string): SchemaObject => ({
  type: 'array',
  items: reference('PermissionFilter'),
  description,
});
const field = (description: string): SchemaObject => ({
  anyOf: [reference('FilterPredicate'), { type: 'null' }],
  description,
});
const value = (description: string): SchemaObject => ({ ...reference('FilterValue'), description });
const ordered = (description: string): SchemaObject => ({
  type: ['number', 'string'],
  description,
});

/** Schemas of values that the server checks with dedicated parsers. The schemas exist only in the OpenAPI document. */
export const documentedSchemas: Readonly<Record<Name, SchemaObject>> = {
  CloudEvent: storedEvent(),
  PermissionFilter: {
    type: 'object',
    description:
      'A filter of the filter language. All members must match. Any name other than the ones below is a metadata field; a dot reaches into nested metadata. The value of a metadata field is a `FilterPredicate`, or `null` for `{ "eq": null }`. `{}` matches everything.',
    properties: {
      and: filters('All of these filters must match. `[]` matches everything.'),
      or: filters('At least one of these filters must match. `[]` matches nothing.'),
      not: { ...reference('PermissionFilter'), description: 'This filter must not match.' },
      search: {
        type: 'string',
        description: 'Case-insensitive part of the file name or of any string in the metadata.',
      },
      fileName: field('File name of the document.'),
      mimeType: field('Media type of the document.'),
      language: field('Language tag of the document.'),
      createdAt: field('Time of the upload.'),
      updatedAt: field('Time of the last change.'),
    },
    additionalProperties: true,
  },
  FilterPredicate: {
    type: 'object',
    description:
      'Conditions on a field. All of them must hold. On an array, a condition holds if it holds for any element; `ne` holds if no element is equal.',
    properties: {
      eq: value('The same type and value. `null`: the field is null or absent.'),
      ne: value('The complement of `eq`.'),
      in: {
        type: 'array',
        items: reference('FilterValue'),
        maxItems: 1000,
        description: 'Equal to one of these values.',
      },
      gt: ordered('Greater than this value of the same type.'),
      gte: ordered('Greater than or equal to this value of the same type.'),
      lt: ordered('Less than this value of the same type.'),
      lte: ordered('Less than or equal to this value of the same type.'),
      like: {
        type: 'string',
        description:
          'Case-insensitive pattern for the whole string: `%` matches any characters, `_` matches one character, `\\` escapes.',
      },
      tp: {
        type: 'string',
        enum: ['string', 'number', 'boolean', 'null', 'array', 'object', 'absent'],
        description: 'JSON type of the field.',
      },
    },
    additionalProperties: false,
  },
  FilterValue: {
    type: ['string', 'number', 'boolean', 'null'],
    description: 'Value to compare with a field.',
  },
};

/** Returns the schema of a stored event, which has no `auth`. */
function storedEvent(): SchemaObject {
  const { auth: _, ...properties } = StandardCloudEvent.properties;
  return JSON.parse(JSON.stringify({ ...StandardCloudEvent, properties })) as SchemaObject;
}
