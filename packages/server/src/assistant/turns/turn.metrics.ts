import type { Metrics } from '../../platform/metrics/index.ts';
import type { UsageCounter } from '../../platform/usage/index.ts';

export interface CountTurns {
  turn(spaceId: string, outcome: 'finished' | 'stopped' | 'failed'): void;
  tokens(spaceId: string, input: number, output: number): void;
  cost(spaceId: string, millionths: number): void;
}

/** Counts turns for `/metrics`, and by space and day. */
export function countTurns(metrics: Metrics, usage: Pick<UsageCounter, 'count'>): CountTurns {
  const turns = metrics.counter({
    name: 'gatehouse_chat_turns_total',
    help: 'Chat turns by outcome.',
    labels: ['outcome'],
  });
  const tokens = metrics.counter({
    name: 'gatehouse_chat_tokens_total',
    help: 'Tokens that models reported.',
    labels: ['direction'],
  });
  const cost = metrics.counter({
    name: 'gatehouse_chat_cost_total',
    help: 'Cost of the tokens, in the currency of the configured prices; 0 without prices.',
  });
  return {
    turn: (spaceId, outcome) => {
      turns.labels(outcome).inc();
      usage.count(spaceId, { questions: 1 });
    },
    tokens: (spaceId, input, output) => {
      tokens.labels('input').inc(input);
      tokens.labels('output').inc(output);
      usage.count(spaceId, { inputTokens: input, outputTokens: output });
    },
    cost: (spaceId, millionths) => {
      cost.inc(millionths / 1_000_000);
      usage.count(spaceId, { costMillionths: millionths });
    },
  };
}
