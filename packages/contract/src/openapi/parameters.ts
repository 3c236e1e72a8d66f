import type { TObject } from 'typebox';
import {
  EXAMPLE_DELIVERY_ID,
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_SPACE_ID,
  EXAMPLE_SUBSCRIPTION_ID,
} from '../common.ts';
import type { Operation } from '../operation.ts';
import { operations } from '../operations.ts';
import type { ParameterObject, Reference } from './document.ts';
import { publicSchema } from './schemas.ts';

/** Examples by parameter name. A name has the same meaning in all operations. */
const EXAMPLES: Readonly<Record<string, string | number>> = {
  returnTo: '/console',
  after: 'MQ',
  before: 'MjAw',
  botId: 1,
  callId: '0199f3a2-b1c3-7a52-8b60-2c3d4e5f6a7b',
  chatId: 'q1Zk3v0b',
  crawlId: '0199f3a2-d6e2-7f53-9ba1-7c204d8e3f69',
  conversationId: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a',
  deliveryId: EXAMPLE_DELIVERY_ID,
  documentEventId: '0199f3a2-b270-7d15-8f42-0c6a91e5d3b8',
  documentId: EXAMPLE_DOCUMENT_ID,
  fileName: 'returns.md',
  force: 'true',
  from: '2026-10-18T00:00:00Z',
  invitationId: '0199f3a2-7d20-7a31-8c44-6b1f0e9d2c58',
  key: '1001',
  keyId: '0199f3a2-7d2f-7e65-b1c4-3b8d6f9c2051',
  limit: 50,
  linkId: '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2',
  messageId: '0199f3a2-b1c2-7d10-9a3b-4c5d6e7f8a90',
  order: 'newest',
  position: 3,
  projectionId: '0199f3a2-c5d1-7e42-8a90-6b1f3c7d2e58',
  result: 'failed',
  search: 'returns',
  sessionId: '0199f3a2-8e31-7b42-9d55-7c2a1fae3d69',
  source: 'https://shop.example/orders',
  sourceId: '0199f3a2-7e40-7a1b-8c35-6d2f9b0e4a17',
  spaceId: EXAMPLE_SPACE_ID,
  state: 'ready',
  subject: 'order-1001',
  subscriptionId: EXAMPLE_SUBSCRIPTION_ID,
  sub: 'customer-42',
  to: '2026-10-19T00:00:00Z',
  toolId: '0199f3a2-d3e4-7b51-9c60-1a2b3c4d5e6f',
  type: 'example.order.paid',
  version: 3,
  userId: '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5',
};

/** Returns the parameters of an operation. Parameters that several operations have are references. */
export function parameterReferences(operation: Operation): (ParameterObject | Reference)[] {
  return parametersOf(operation).map((parameter) => {
    const name = shared.get(JSON.stringify(parameter));
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
  });
}

/** Returns the parameters that several operations have, by name. */
export function sharedParameters(): Record<string, ParameterObject> {
  return Object.fromEntries(
    [...shared].map(([text, name]) => [name, JSON.parse(text) as ParameterObject]),
  );
}

const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat. If the same caller sends the same request with the same key within 24 hours, the response is the stored first response, with the header `Idempotent-Replayed: true`. Use a new random key, such as a UUID, for each new resource.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  examples: { example: { value: '4f3c1b52-7d0e-4a43-9a0b-2f6f1c8e5d17' } },
};

const shared = namesOfShared();

/**
 * Returns the component names of the parameters that several operations have. The keys are the parameters as JSON. If different
 * parameters have the same name, a number is appended from the second one on, such as `limitQuery2`.
 */
function namesOfShared(): Map<string, string> {
  const uses = new Map<string, number>();
  const texts = operations.flatMap(parametersOf).map((parameter) => JSON.stringify(parameter));
  for (const text of texts) uses.set(text, (uses.get(text) ?? 0) + 1);
  const taken = new Map<string, number>();
  const names = new Map<string, string>();
  for (const [text, count] of uses) {
    if (count === 1) continue;
    const { name, in: place } = JSON.parse(text) as ParameterObject;
    const wanted = place === 'query' ? `${name}Query` : name;
    const number = (taken.get(wanted) ?? 0) + 1;
    taken.set(wanted, number);
    names.set(text, number === 1 ? wanted : `${wanted}${number}`);
  }
  return names;
}

function parametersOf(operation: Operation): ParameterObject[] {
  return [
    ...parametersIn('path', operation.params, operation),
    ...parametersIn('query', operation.query, operation),
    ...(operation.idempotent === true ? [IDEMPOTENCY_KEY] : []),
  ];
}

function parametersIn(
  place: ParameterObject['in'],
  schema: TObject | undefined,
  operation: Operation,
): ParameterObject[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const example = operation.paramsExample?.[name] ?? EXAMPLES[name];
    if (example === undefined)
      throw new Error(`parameter ${name} has no example; add one to EXAMPLES`);
    const { description, ...rest } = publicSchema(property);
    return {
      name,
      in: place,
      required: place === 'path' || schema?.required?.includes(name) === true,
      ...(description === undefined ? {} : { description }),
      schema: rest,
      examples: { example: { value: example } },
    };
  });
}
