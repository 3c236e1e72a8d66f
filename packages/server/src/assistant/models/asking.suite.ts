import assert from 'node:assert/strict';
import { afterAllFiles } from '../../../tests/support/after-all-files.ts';
import { startFakeModel } from '../../../tests/support/assistant/fake-model.ts';
import { AnswerFailure, type AnswerPart, type Question, type SourcePassage } from '../answerer.ts';
import { createModelAnswerer } from './index.ts';
import { createModelDirectory } from './model-directory.ts';
import type { AnswerLimits } from './watch.ts';

export const KEY = 'sk-very-secret-key';
export const SECRET = 'secret of the prompt';

/** The model server that all tests of one process share. Each test file resets it before each test. */
export const fake = await startFakeModel();
afterAllFiles(() => fake[Symbol.asyncDispose]());

export const RETURNS = passage('returns.md', 'Refunds', 'A refund takes five days.');
export const LAMPS = passage('lamps.csv', null, 'Name: Desk lamp | Price: 24.95');
export const SHIPPING = passage('shipping.md', null, 'Parcels arrive on Mondays.');

export function passage(fileName: string, heading: string | null, text: string): SourcePassage {
  return { documentId: fileName, fileName, position: 0, heading, text };
}

export function question(given: Partial<Question>): Question {
  return {
    model: null,
    locale: null,
    texts: { name: 'Shop', title: null, greeting: null, suggestions: [] },
    instructions: `Be brief. ${SECRET}`,
    facts: null,
    history: [],
    question: 'How long does a refund take?',
    passages: [],
    search: async () => [],
    isBudgetUsed: false,
    showsReasoning: false,
    tools: [],
    signal: new AbortController().signal,
    ...given,
  };
}

export function modelAnswerer(limits: Partial<AnswerLimits> = {}) {
  const models = createModelDirectory({ api: { url: fake.url, key: KEY }, name: 'small' });
  return createModelAnswerer({ models, limits: { retryMs: 1, ...limits } });
}

export function ask(
  given: Partial<Question>,
  limits?: Partial<AnswerLimits>,
): AsyncIterable<AnswerPart> {
  return modelAnswerer(limits).answer(question(given));
}

export async function all(answer: AsyncIterable<AnswerPart>): Promise<AnswerPart[]> {
  return await Array.fromAsync(answer);
}

export async function untilError(answer: AsyncIterable<AnswerPart>) {
  const parts: AnswerPart[] = [];
  try {
    for await (const part of answer) parts.push(part);
  } catch (error) {
    return { parts, error };
  }
  return { parts, error: null };
}

export async function failureOf(answer: AsyncIterable<AnswerPart>): Promise<AnswerFailure> {
  const { error } = await untilError(answer);
  assert.ok(error instanceof AnswerFailure, `${error}`);
  assert.equal(error.cause, undefined);
  const { stack, message, detail } = error;
  const said = [stack, message, detail, JSON.stringify(error)].join('\n');
  for (const secret of [KEY, SECRET, fake.url]) assert.ok(!said.includes(secret), said);
  return error;
}

export function isFailure(code: AnswerFailure['code']) {
  return (error: unknown) => {
    assert.ok(error instanceof AnswerFailure, `${error}`);
    assert.equal(error.code, code);
    return true;
  };
}

export function textOf(parts: readonly AnswerPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

export function sourcesOf(parts: readonly AnswerPart[]): [number, SourcePassage][] {
  return parts.flatMap((part) =>
    part.kind === 'source' ? [[part.number, part.passage] as [number, SourcePassage]] : [],
  );
}

export function shown(): string {
  return fake.requests
    .flatMap(({ messages }) => messages.slice(2))
    .map((m) => m.content)
    .join('\n');
}
