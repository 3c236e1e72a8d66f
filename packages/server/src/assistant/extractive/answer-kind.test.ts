import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnswerKind, answerKindOf, hasKind } from './answer-kind.ts';
import type { Language } from './words/language.ts';

test('returns the kind of information that a question asks for', () => {
  const questions: [Language, string, AnswerKind][] = [
    ['en', 'How long does a full charge take?', 'duration'],
    ['en', 'How much is the lamp?', 'money'],
    ['en', 'How much weight can it load?', 'number'],
    ['en', 'When do you open?', 'time'],
    ['en', 'Do you sell lamps?', null],
    ['de', 'Wie viele Tage habe ich Zeit?', 'duration'],
    ['fr', 'Combien coûte la livraison ?', 'money'],
    ['es', '¿Cuánto dura la garantía?', 'duration'],
    ['ru', 'Сколько стоит доставка?', 'money'],
    ['ar', 'كم سعر المصباح؟', 'money'],
    ['zh', '保修多久？', 'duration'],
    ['ja', '送料はいくらですか？', 'money'],
  ];
  for (const [language, question, kind] of questions)
    assert.equal(answerKindOf(question, language), kind, question);
});

test('recognises the kind in a sentence or a row', () => {
  assert.ok(hasKind('A seat costs 5 euros.', 'money', false));
  assert.ok(hasKind('Returns are free.', 'money', false));
  assert.ok(!hasKind('You have 30 days.', 'money', false));
  assert.ok(hasKind('Name: Lamp | Price: 30', 'money', true));
  assert.ok(hasKind('within two weeks', 'duration', false));
  assert.ok(!hasKind('in room 30', 'duration', false));
  assert.ok(!hasKind('no digits here', 'number', false));
});
