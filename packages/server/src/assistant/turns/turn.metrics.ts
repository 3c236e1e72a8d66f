import type { Metrics } from '../../platform/metrics/index.ts';

/** Counts what becomes of turns, and what they take. */
export interface CountTurns {
  turn(outcome: 'finished' | 'stopped' | 'failed'): void;
  tokens(input: number, output: number): void;
  cost(millionths: number): void;
}

/** For `/metrics`. */
export function countTurns(metrics: Metrics): CountTurns {
  const turns = metrics.counter({
    name: 'gatehouse_chat_turns_total',
    help: 'Turns of the chat, by how they ended.',
    labels: ['outcome'],
  });
  const tokens = metrics.counter({
    name: 'gatehouse_chat_tokens_total',
    help: 'Tokens that models said they took.',
    labels: ['direction'],
  });
  const cost = metrics.counter({
    name: 'gatehouse_chat_cost_total',
    help: 'What those tokens cost, in the unit of the prices that are set; 0 without prices.',
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
