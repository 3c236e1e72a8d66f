import { TimeoutError } from '@platformatic/kafka';
import { errorChain } from '../../../lib/network/index.ts';
import { SinkFailure } from '../event-sink.ts';

const TOO_LARGE = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];
const NO_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';

/** Converts an error of the client library. The message contains only Kafka's name of the error, not its text. */
export function failureOf(error: unknown, topic: string): SinkFailure {
  if (error instanceof SinkFailure) return error;
  const errors = [...errorChain(error)];
  if (errors.some((one) => textOf(one, 'code') === 'PLT_KFK_AUTHENTICATION'))
    return new SinkFailure('unauthorized', 'the Kafka brokers rejected the credentials');
  const names = errors.flatMap((one) => textOf(one, 'apiId') ?? []);
  const name = names.at(-1);
  if (names.some((each) => TOO_LARGE.includes(each)))
    return new SinkFailure('too-large', 'the event exceeds the size limit of its Kafka topic');
  if (name === NO_TOPIC || errors.some(({ message }) => message.startsWith('Unknown topic')))
    return new SinkFailure('refused', `the Kafka topic ${topic} does not exist`);
  if (name?.endsWith('AUTHORIZATION_FAILED') === true)
    return new SinkFailure('unauthorized', `Kafka does not permit writing to ${topic} (${name})`);
  if (name !== undefined)
    return new SinkFailure('refused', `the Kafka brokers rejected the events (${name})`);
  const code = errors
    .flatMap((one) => textOf(one, 'code') ?? [])
    .find((each) => !each.startsWith('PLT_KFK'));
  if (code === undefined && errors.some((one) => one instanceof TimeoutError)) return noResponse();
  return new SinkFailure(
    'unreachable',
    `the Kafka brokers cannot be reached${code === undefined ? '' : ` (${code})`}`,
  );
}

export function noResponse(): SinkFailure {
  return new SinkFailure('unreachable', 'the Kafka brokers did not respond in time');
}

function textOf(error: Error, name: 'code' | 'apiId'): string | null {
  const value = (error as Error & Record<typeof name, unknown>)[name];
  return typeof value === 'string' ? value : null;
}
