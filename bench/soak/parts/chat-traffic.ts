import { attach } from '../../../packages/server/tests/support/assistant/attachments.ts';
import {
  Chat,
  type Message,
  openLink,
  textOf,
} from '../../../packages/server/tests/support/assistant/chat.ts';
import type { FakeModel } from '../../../packages/server/tests/support/assistant/fake-model.ts';
import { inParallel } from '../../../packages/server/tests/support/knowledge/knowledge.ts';
import { ask } from '../ask.ts';
import { steadily } from '../pace.ts';
import { attempt, type Part, request, type Setting, violations } from '../setting.ts';
import { sentence } from '../written.ts';
import { answerOrCall } from './tool-calls.ts';

const PER_SECOND = 1;
const PEOPLE = 400;
const CHECKS_AT_ONCE = 4;

/** Asks questions, some with an attachment, and two of three resumable. Deletes half of the conversations. */
export function startChats(setting: Setting, model: FakeModel): Part {
  const { client, replicas, key, session, space, signal, failures } = setting;
  const kept: string[] = [];
  const deleted: string[] = [];
  const counts = { chats: 0, questions: 0, attachments: 0 };
  model.behave((request) => {
    model.requests.length = 0;
    return answerOrCall(request);
  });

  /** Returns the ID of the conversation. */
  async function question(chat: Chat, parts: Message['parts'] = []): Promise<string> {
    counts.questions += 1;
    const answer = await ask(chat, `What about ${sentence(2)}?`, parts);
    if (!textOf(answer).includes('You asked: '))
      throw new Error(`the answer is ${textOf(answer).slice(0, 100)}, ${chat.errors.join()}`);
    return String(answer.metadata?.conversationId);
  }

  async function talk(): Promise<void> {
    counts.chats += 1;
    const number = counts.chats;
    const url = replicas.url(number);
    const link = { sub: `p${number % PEOPLE}`, permissionFilter: { team: { eq: 'a' } } };
    const { as } = await openLink(client, key, link);
    const chat = new Chat(url, as, crypto.randomUUID(), number % 3 < 2 ? { resumable: true } : {});
    let id = '';
    const askFirst = async () => {
      if (number % 3 !== 0) {
        id = await question(chat);
        return;
      }
      counts.attachments += 1;
      const file = { name: 'note.txt', content: `A note about ${sentence()}.` };
      const { part } = await attach(url, as, chat.id, file);
      id = await question(chat, [part]);
    };
    const kind = number % 3 === 0 ? 'attachment' : 'question';
    if (!(await attempt(setting, kind, askFirst))) return;
    if (!(await attempt(setting, 'question', () => question(chat)))) return;
    await request(setting, 'list conversations', '/chat/conversations', { as });
    const path = `/chat/conversations/${id}`;
    await request(setting, 'conversation', path, { as });
    if (number % 2 === 0) return void kept.push(id);
    await request(setting, 'delete conversation', path, { method: 'DELETE', as });
    // The response for the ID of no conversation of the caller is an empty conversation.
    const gone = await request(setting, 'deleted conversation', path, { as });
    if (gone !== null && (gone.json['messages'] as unknown[]).length > 0)
      failures.push('conversation: a deleted one has messages');
    deleted.push(id);
  }

  return {
    run: () => steadily(PER_SECOND, signal, () => attempt(setting, 'chat', talk)),
    check: async () => {
      const path = (id: string) => `/spaces/${space.id}/conversations/${id}`;
      const before = failures.length;
      await inParallel(kept, CHECKS_AT_ONCE, async (id) => {
        await request(setting, 'kept conversation', path(id), { as: session });
      });
      const lost = failures.length - before;
      await inParallel(deleted, CHECKS_AT_ONCE, async (id) => {
        await request(setting, 'deleted conversation', path(id), { as: session }, [404]);
      });
      return violations({
        'stored conversations that are missing': lost,
        'deleted conversations that are shown': failures.length - before - lost,
      });
    },
    counts: () => counts,
  };
}
