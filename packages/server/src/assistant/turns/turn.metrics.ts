import type { Metrics } from '../../platform/metrics/index.ts';

export interface CountTurns {
  turn(outcome: 'finished' | 'stopped' | 'failed'): void;
  tokens(input: number, output: number): void;
  cost(millionths: number): void;
}

export function countTurns(metrics: Metrics): CountTurns {
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
    turn: (outcome) => turns.labels(outcome).inc(),
    tokens: (input, output) => {
      tokens.labels('input').inc(input);
      tokens.labels('output').inc(output);
    },
    cost: (millionths) => cost.inc(millionths / 1_000_000),
  };
}
