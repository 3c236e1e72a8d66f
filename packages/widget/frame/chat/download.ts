import type { Api } from '../api/api.ts';
import { type Failure, isFailure } from '../api/failure.ts';
import type { Strings } from '../translations/strings.ts';
import type { Message } from './message.ts';
import { readStoredMessages } from './stored-messages.ts';

/** Time for which the browser can read the file, in milliseconds. */
const FILE_LIFETIME_MS = 60_000;
/** Characters that file systems reject or hide, and directional formatting characters. */
const UNSAFE = /[\p{C}\\/:*?"<>|]+/gu;
const MAX_NAME_LENGTH = 60;

/**
 * Saves all messages of a stored conversation as a Markdown file.
 *
 * @returns `null`, or the reason why a request failed.
 */
export async function downloadConversation(
  api: Api,
  id: string,
  title: string,
  strings: Strings,
): Promise<Failure | null> {
  const messages: Message[] = [];
  for (let before: string | null = null; ; ) {
    const found = await readStoredMessages(api, id, before);
    if (isFailure(found)) return found;
    messages.unshift(...found.messages);
    before = found.earlier;
    if (before === null) break;
  }
  const text = [`# ${title}`, ...messages.map((message) => toMarkdown(message, strings))];
  save(`${text.join('\n\n')}\n`, title);
  return null;
}

function toMarkdown(message: Message, strings: Strings): string {
  if (message.role === 'user') return `**${strings.you}**\n\n${message.text}`;
  const { text, sources, state } = message.view.peek();
  const lines = sources.map(({ number, title, url }) =>
    [`[${number}] ${title}`, ...(url === null ? [] : [url])].join(' – '),
  );
  const shown = state === 'hidden' ? strings.hidden : text;
  return [`**${strings.assistant}**`, shown, ...(lines.length === 0 ? [] : [lines.join('\n')])]
    .filter((part) => part !== '')
    .join('\n\n');
}

function save(text: string, title: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/markdown;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${title.replace(UNSAFE, ' ').slice(0, MAX_NAME_LENGTH).trim() || 'chat'}.md`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FILE_LIFETIME_MS);
}
