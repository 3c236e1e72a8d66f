import type { Chat, Message } from '../../packages/server/tests/support/assistant/chat.ts';

/** Asks a question. Asks again if the visible documents change during the answer, as they often do on a slow machine. */
export async function ask(
  chat: Chat,
  question: string,
  attachments: Message['parts'] = [],
): Promise<Message> {
  const answer = await chat.ask(question, undefined, attachments);
  return chat.errors.join().includes('ask the question again') ? ask(chat, question) : answer;
}
