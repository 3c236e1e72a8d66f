import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError, TimeoutError } from '@platformatic/kafka';
import { failureOf } from './failure.ts';

test('distinguishes brokers that do not respond from brokers that cannot be reached', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const causes = [
    [new TimeoutError('Request timed out'), 'the Kafka brokers did not respond in time'],
    [new NetworkError('Connection closed'), 'the Kafka brokers cannot be reached'],
    [
      new NetworkError('Connection failed', { cause: refused }),
      'the Kafka brokers cannot be reached (ECONNREFUSED)',
    ],
  ] as const;
  for (const [cause, message] of causes) {
    const failure = failureOf(new AggregateError([cause], 'metadata failed'), 'events');
    assert.deepEqual([failure.reason, failure.message], ['unreachable', message]);
  }
});
