import assert from 'node:assert/strict';
import type { Behaviour, ModelRequest } from './fake-model.ts';

/** A passage as a model was shown it. */
export interface ShownPassage {
  /** By which the model may cite it. */
  readonly number: number;
  readonly fileName: string;
  readonly text: string;
}

/** What a model was shown, taken apart again. */
export interface ShownPrompt {
  readonly instructions: string;
  readonly history: readonly { readonly role: string; readonly text: string }[];
  readonly facts: string | null;
  /** Those that it was shown with the question and those that it searched for. */
  readonly passages: readonly ShownPassage[];
  readonly question: string;
}

const DATA = /<(data-[0-9a-f]{16}) ([^>]+)>\n([\s\S]*?)\n<\/\1>/g;
const QUESTION = '\n\nThe question:\n\n';

export function shownPrompt({ messages }: ModelRequest): ShownPrompt {
  const [system, ...said] = messages.map(({ role, content }) => ({ role, text: content ?? '' }));
  const last = said.findLastIndex(({ role }) => role === 'user');
  const asked = said[last]?.text ?? '';
  const at = asked.indexOf(QUESTION);
  assert.ok(system?.role === 'system' && at !== -1, 'a prompt as the assistant makes them');
  const found = said.slice(last + 1).map(({ text }) => text);
  const blocks = [...[asked.slice(0, at), ...found].join('\n').matchAll(DATA)];
  return {
    instructions: system.text,
    history: said.slice(0, last),
    facts: blocks.find(([, , what]) => what?.startsWith('about'))?.[3] ?? null,
    passages: blocks.flatMap(([, , what = '', text = '']) => toPassage(what, text)),
    question: asked.slice(at + QUESTION.length),
  };
}

function toPassage(what: string, block: string): ShownPassage[] {
  const number = /^passage \[(\d+)\]$/.exec(what)?.[1];
  if (number === undefined) return [];
  const [where = '', ...text] = block.split('\n');
  const { fileName } = JSON.parse(where) as { fileName: string };
  return [{ number: Number(number), fileName, text: text.join('\n') }];
}

/** Echoes the question and cites the best passage. */
export function echo(request: ModelRequest): Behaviour {
  const { question, passages } = shownPrompt(request);
  return { does: 'answer', pieces: ['You asked: ', question, ...citing(passages)] };
}

/** Cites the best of these passages, if there is one. */
export function citing(passages: readonly ShownPassage[]): string[] {
  return passages.slice(0, 1).map(({ number }) => ` [${number}]`);
}
