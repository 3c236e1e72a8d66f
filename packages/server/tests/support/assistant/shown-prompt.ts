import assert from 'node:assert/strict';
import type { Behaviour, ModelRequest } from './fake-model.ts';

export interface ShownPassage {
  readonly number: number;
  readonly fileName: string;
  readonly text: string;
}

export interface ShownPrompt {
  readonly instructions: string;
  readonly history: readonly { readonly role: string; readonly text: string }[];
  readonly facts: string | null;
  /** Passages from the prompt and from searches. */
  readonly passages: readonly ShownPassage[];
  readonly question: string;
}

const DATA = /<(data-[0-9a-f]{16}) ([^>]+)>\n([\s\S]*?)\n<\/\1>/g;
const QUESTION = '\n\nThe question:\n\n';

export function shownPrompt({ messages }: ModelRequest): ShownPrompt {
  const [system, ...conversation] = messages.map(({ role, content }) => ({
    role,
    text: content ?? '',
  }));
  const last = conversation.findLastIndex(({ role }) => role === 'user');
  const lastUserText = conversation[last]?.text ?? '';
  const questionStart = lastUserText.indexOf(QUESTION);
  assert.ok(
    system?.role === 'system' && questionStart !== -1,
    'the request is not a prompt of the assistant',
  );
  const found = conversation.slice(last + 1).map(({ text }) => text);
  const blocks = [...[lastUserText.slice(0, questionStart), ...found].join('\n').matchAll(DATA)];
  return {
    instructions: system.text,
    history: conversation.slice(0, last),
    facts: blocks.find(([, , what]) => what?.startsWith('about'))?.[3] ?? null,
    passages: blocks.flatMap(([, , what = '', text = '']) => toPassage(what, text)),
    question: lastUserText.slice(questionStart + QUESTION.length),
  };
}

function toPassage(what: string, block: string): ShownPassage[] {
  const number = /^passage \[(\d+)\]$/.exec(what)?.[1];
  if (number === undefined) return [];
  const [where = '', ...text] = block.split('\n');
  const { fileName } = JSON.parse(where) as { fileName: string };
  return [{ number: Number(number), fileName, text: text.join('\n') }];
}

export function echo(request: ModelRequest): Behaviour {
  const { question, passages } = shownPrompt(request);
  return { does: 'answer', pieces: ['You asked: ', question, ...citing(passages)] };
}

export function citing(passages: readonly ShownPassage[]): string[] {
  return passages.slice(0, 1).map(({ number }) => ` [${number}]`);
}
