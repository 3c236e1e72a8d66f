import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createBudgetRepository } from '../../platform/usage/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { AnswerFailure, type AnswerPart, type Question } from '../answerer.ts';
import { type BudgetedTurn, TurnBudget } from './turn-budget.ts';

const store = await openNewStore();
after(() => store[Symbol.asyncDispose]());

const NOON = Date.parse('2026-05-31T12:00:00Z');
const MIDNIGHT = Date.parse('2026-06-01T00:00:00Z');
let spaces = 0;

async function newSpace(): Promise<string> {
  const id = `space-${++spaces}`;
  await addSpace(store, id);
  return id;
}

/** Returns the budget of a turn on a replica of its own. */
function budgetOf(turn: BudgetedTurn, { now = NOON, hasPrices = true } = {}): TurnBudget {
  const deps = {
    budgets: createBudgetRepository(store.db),
    clock: () => now,
    pricesOf: () => (hasPrices ? { input: 2, output: 4 } : null),
  };
  return new TurnBudget(deps, turn);
}

const QUESTION = {
  instructions: 'x'.repeat(20),
  facts: null,
  history: [{ role: 'user', text: 'x'.repeat(8) }],
  question: 'x'.repeat(8),
  passages: [],
} as unknown as Question;

const MODEL: AnswerPart = { kind: 'model', name: 'small' };
const REQUEST: AnswerPart = { kind: 'request' };
const usage = (inputTokens: number, outputTokens: number): AnswerPart => ({
  kind: 'usage',
  inputTokens,
  outputTokens,
});

async function* answer(...parts: readonly (AnswerPart | Error)[]): AsyncGenerator<AnswerPart> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

const spend = async (budget: TurnBudget, ...parts: readonly (AnswerPart | Error)[]) =>
  await Array.fromAsync(budget.meter(QUESTION, answer(...parts))).catch(() => []);

test('a budget of a space is used up at its limit, and not below it', async () => {
  const spaceId = await newSpace();
  const turn = { spaceId, linkId: 'one', budgets: { space: { tokensPerDay: 30 }, link: null } };
  await spend(budgetOf(turn), MODEL, usage(20, 9));
  assert.equal(await budgetOf({ ...turn, linkId: 'other' }).isUsedUp(), false);
  await spend(budgetOf({ ...turn, linkId: null }), MODEL, usage(1, 0));
  assert.equal(await budgetOf({ ...turn, linkId: 'other' }).isUsedUp(), true);
  const more = { space: { tokensPerDay: 31 }, link: null };
  assert.equal(await budgetOf({ ...turn, budgets: more }).isUsedUp(), false);
});

test('a budget of a link does not limit other links', async () => {
  const spaceId = await newSpace();
  const budgets = { space: null, link: { tokensPerMonth: 10 } };
  await spend(budgetOf({ spaceId, linkId: 'one', budgets }), MODEL, usage(10, 1));
  assert.equal(await budgetOf({ spaceId, linkId: 'one', budgets }).isUsedUp(), true);
  assert.equal(await budgetOf({ spaceId, linkId: 'other', budgets }).isUsedUp(), false);
});

test('a limit on costs uses the prices of the model', async () => {
  const spaceId = await newSpace();
  const turn = (costPerDay: number) => ({
    spaceId,
    linkId: null,
    budgets: { space: { costPerDay }, link: null },
  });
  await spend(budgetOf(turn(1)), MODEL, usage(500_000, 250_000));
  assert.equal(await budgetOf(turn(2)).isUsedUp(), true);
  assert.equal(await budgetOf(turn(2.000001)).isUsedUp(), false);
  await spend(budgetOf(turn(1), { hasPrices: false }), MODEL, usage(500_000, 250_000));
  assert.equal(await budgetOf(turn(2.000001)).isUsedUp(), false);
});

test('days and months end at midnight in UTC', async () => {
  const spaceId = await newSpace();
  const budgets = { space: { tokensPerDay: 5, tokensPerMonth: 8 }, link: null };
  const turn = { spaceId, linkId: null, budgets };
  await spend(budgetOf(turn, { now: MIDNIGHT - 1 }), MODEL, usage(4, 4));
  assert.equal(await budgetOf(turn, { now: MIDNIGHT - 1 }).isUsedUp(), true);
  assert.equal(await budgetOf(turn, { now: MIDNIGHT }).isUsedUp(), false);
  await spend(budgetOf(turn, { now: MIDNIGHT }), MODEL, usage(2, 2));
  assert.equal(await budgetOf(turn, { now: MIDNIGHT + 86_400_000 }).isUsedUp(), false);
  await spend(budgetOf(turn, { now: MIDNIGHT + 86_400_000 }), MODEL, usage(2, 2));
  assert.equal(await budgetOf(turn, { now: MIDNIGHT + 2 * 86_400_000 }).isUsedUp(), true);
});

test('replicas that count at the same time lose nothing', async () => {
  const spaceId = await newSpace();
  const turn = (limit: number) => ({
    spaceId,
    linkId: 'one',
    budgets: { space: { tokensPerDay: limit }, link: { tokensPerDay: limit } },
  });
  await Promise.all(Array.from({ length: 20 }, () => spend(budgetOf(turn(1)), MODEL, usage(2, 3))));
  assert.equal(await budgetOf(turn(100)).isUsedUp(), true);
  assert.equal(await budgetOf(turn(101)).isUsedUp(), false);
});

test('tokens are estimated if the model reports none', async () => {
  // The prompt has 36 characters.
  const cases: readonly [string, readonly (AnswerPart | Error)[], number][] = [
    ['an answer without token counts', [MODEL, { kind: 'text', text: 'x'.repeat(6) }], 9 + 2],
    ['a stop before the first text', [MODEL, new Error('stopped')], 9],
    ['a stop during the answer', [MODEL, { kind: 'text', text: 'x' }, new Error('stop')], 9 + 1],
    ['a failure without text', [MODEL, new AnswerFailure('unreachable', '')], 0],
    [
      'a stop of the second request, after a tool',
      [MODEL, REQUEST, usage(4, 1), REQUEST, new Error('stopped')],
      5 + 9,
    ],
    [
      'a failure of the second request',
      [MODEL, REQUEST, usage(4, 1), REQUEST, new AnswerFailure('unreachable', '')],
      5,
    ],
    ['a counted answer', [MODEL, { kind: 'text', text: 'x' }, usage(1, 1)], 2],
    ['an answer without a model', [{ kind: 'text', text: 'x' }], 0],
  ];
  for (const [name, parts, expected] of cases) {
    const spaceId = await newSpace();
    const budgets = { space: { tokensPerDay: 1 }, link: null };
    await spend(budgetOf({ spaceId, linkId: null, budgets }), ...parts);
    const { day } = await createBudgetRepository(store.db).spent({ spaceId, linkId: null }, NOON);
    assert.equal(day.tokens, expected, name);
  }
});
