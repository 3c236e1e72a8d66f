import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smallTalkOf, withoutSmallTalk } from './small-talk.ts';

test('recognises the kind of small talk in eight languages', () => {
  const messages: Record<string, readonly string[]> = {
    greeting: [
      'Hello!',
      'hi there',
      'Guten Tag',
      'Bonjour',
      '¡Hola!',
      'Привет',
      'مرحبا',
      '你好',
      'こんにちは',
    ],
    thanks: [
      'thanks!',
      'ok thanks',
      'Danke schön',
      'merci',
      'gracias',
      'спасибо',
      'شكرًا',
      '谢谢',
      'ありがとう',
    ],
    farewell: [
      'bye',
      'Tschüss',
      'au revoir',
      'adiós',
      'до свидания',
      'مع السلامة',
      '再见',
      'さようなら',
    ],
    acknowledgement: [
      'ok, great 👍',
      'alles klar',
      'd’accord',
      'vale',
      'понятно',
      'حسنًا',
      '好的',
      'なるほど',
    ],
    identity: [
      'Who are you?',
      'Was kannst du?',
      'Qui es-tu ?',
      '¿Quién eres?',
      'Кто ты?',
      'من أنت؟',
      '你是谁',
      '何ができますか',
    ],
    human: [
      'I want to talk to a human',
      'human please',
      'Ich möchte mit einem Menschen sprechen',
      '转人工',
      'オペレーターにつないでください',
    ],
  };
  for (const [kind, all] of Object.entries(messages))
    for (const message of all) assert.equal(smallTalkOf(message)?.kind, kind, message);
});

test('does not treat questions as small talk', () => {
  for (const question of [
    'Hello, how much is the lamp?',
    'How many bikes may I rent per person?',
    'Can I return it?',
    'Can I speak to someone about my refund?',
    'thanks, and to Germany?',
    'help with my password',
    '你好，运费多少',
    '',
    '???',
  ])
    assert.equal(smallTalkOf(question), null, question);
});

test('removes the parts of a question that are small talk', () => {
  assert.equal(withoutSmallTalk('Thanks! And to Germany?'), 'And to Germany?');
  assert.equal(withoutSmallTalk('Hello, does it cost 24.95? Bye!'), 'does it cost 24.95?');
  assert.equal(withoutSmallTalk('你好，运费多少？'), '运费多少？');
  assert.equal(withoutSmallTalk('thanks'), 'thanks');
});
