import type { TObject } from 'typebox';
import {
  EXAMPLE_DELIVERY_ID,
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_SPACE_ID,
  EXAMPLE_SUBSCRIPTION_ID,
} from './common.ts';
import type { ParameterObject } from './openapi-document.ts';
import { publicSchema } from './openapi-schemas.ts';
import type { Operation } from './operation.ts';

/** An example for each parameter, by its name, which means the same wherever it stands. */
const EXAMPLES: Readonly<Record<string, string | number>> = {
  after: 'MQ',
  botId: 1,
  conversationId: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a',
  deliveryId: EXAMPLE_DELIVERY_ID,
  documentEventId: '0199f3a2-b270-7d15-8f42-0c6a91e5d3b8',
  documentId: EXAMPLE_DOCUMENT_ID,
  from: '2026-10-18T00:00:00Z',
  keyId: '0199f3a2-7d2f-7e65-b1c4-3b8d6f9c2051',
  limit: 50,
  linkId: '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2',
  messageId: '0199f3a2-b1c2-7d10-9a3b-4c5d6e7f8a90',
  position: 3,
  source: 'https://shop.example/orders',
  sourceId: '0199f3a2-7e40-7a1b-8c35-6d2f9b0e4a17',
  spaceId: EXAMPLE_SPACE_ID,
  state: 'ready',
  subject: 'order-1001',
  subscriptionId: EXAMPLE_SUBSCRIPTION_ID,
  to: '2026-10-19T00:00:00Z',
  type: 'example.order.paid',
  userId: '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5',
};

/** The path and query parameters of an operation, each with an example. */
export function parametersOf(operation: Operation): ParameterObject[] {
  return [
    ...parametersIn('path', operation.params, operation),
    ...parametersIn('query', operation.query, operation),
  ];
}

function parametersIn(
  place: ParameterObject['in'],
  schema: TObject | undefined,
  operation: Operation,
): ParameterObject[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const example = operation.paramsExample?.[name] ?? EXAMPLES[name];
    if (example === undefined) throw new Error(`no example for parameter ${name}: add it`);
    const { description, ...rest } = publicSchema(property);
    return {
      name,
      in: place,
      required: place === 'path' || schema?.required?.includes(name) === true,
      ...(description === undefined ? {} : { description }),
      schema: rest,
      example,
    };
  });
}
