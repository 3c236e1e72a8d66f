import { addAbortSignal } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { type ChatPart, Gatehouse } from '@gatehouse/client';
import type { Command } from 'commander';
import { cell } from '../output/text.ts';
import { parseUrl, urlOf, variable } from '../shell/access.ts';
import type { Context } from '../shell/context.ts';
import { EXIT, Failure, wrongUse } from '../shell/failure.ts';
import { checked } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';

interface AskOptions {
  readonly link?: string;
  readonly conversation?: string;
}

interface Citation {
  readonly number: number;
  readonly title: string;
  readonly heading: string | null;
  readonly url: string | null;
  readonly documentId: string;
}

export function addAsk(program: Command, binding: Binding): void {
  program
    .command('ask')
    .summary('Ask the assistant through a link.')
    .description(
      'Ask the assistant as the user of an access link, and print the answer with its citations. The answer uses only documents that the link shows.',
    )
    .argument('<question...>', 'The question. -: standard input.')
    .option('--link <url>', 'URL or token of the link. Default: GATEHOUSE_LINK.')
    .option('--conversation <id>', 'ID of a conversation to continue.')
    .action(
      bind<AskOptions>(binding, async (context, words, options) => {
        const { signal } = context;
        const { url, linkToken } = linkOf(context, options);
        const session = await new Gatehouse({ url }).links.exchange(linkToken, { signal });
        const { accessToken } = checked(session, { accessToken: '' });
        const { chat } = new Gatehouse({ url, token: accessToken });
        const question = words.join(' ');
        const text = question === '-' ? await readQuestion(context) : question;
        await printAnswer(context, chat, text, options.conversation);
      }),
    );
}

async function readQuestion({ shell, signal }: Context): Promise<string> {
  const question = (await readAll(addAbortSignal(signal, shell.stdin))).trim();
  if (question !== '') return question;
  throw new Failure({
    exitCode: EXIT.noInput,
    code: 'cli.no-question',
    message:
      'Standard input contains no question. Pipe a question to the command, or give it as an argument.',
  });
}

/** The URL of a link contains the URL of the service. */
function linkOf(
  { shell, options }: Context,
  { link }: AskOptions,
): { readonly url: string; readonly linkToken: string } {
  const given = link ?? variable(shell, 'GATEHOUSE_LINK');
  if (given === undefined)
    throw wrongUse(
      'The link is missing. Use --link <url> or GATEHOUSE_LINK; "gatehouse links create" creates a link.',
    );
  const [, base, fromUrl] = /^(https?:\/\/.*)\/widget\/([\w-]+)\/?$/.exec(given) ?? [];
  const url = base ?? urlOf(shell, options);
  if (url === undefined) throw wrongUse('Use the complete URL of the link, or --url <url>.');
  return { url: parseUrl(url), linkToken: fromUrl ?? given };
}

async function printAnswer(
  { out, signal }: Context,
  chat: Gatehouse['chat'],
  question: string,
  id: string | undefined,
): Promise<void> {
  const citations: Citation[] = [];
  let text = '';
  let conversationId: unknown = null;
  let messageId: string | undefined;
  let code: unknown;
  const request = {
    id,
    messages: [{ role: 'user' as const, parts: [{ type: 'text', text: question }] }],
  };
  for await (const one of chat.ask(request, { signal })) {
    const part = checked(one, { type: '' });
    messageId ??= part.messageId;
    conversationId = part.messageMetadata?.['conversationId'] ?? conversationId;
    // The metadata of a failed answer arrives before the error.
    code = part.messageMetadata?.['code'] ?? code;
    if (part.type === 'text-delta' && part.delta !== undefined) {
      text += part.delta;
      out.part(part.delta);
    }
    if (part.type === 'source-document') citations.push(toCitation(part));
    if (part.type === 'error') {
      out.part('\n');
      throw new Failure({
        exitCode: EXIT.partial,
        code: typeof code === 'string' ? code : 'chat.failed',
        message: part.errorText ?? 'The answer was interrupted. Ask again.',
      });
    }
  }
  citations.sort((a, b) => a.number - b.number);
  if (out.json) {
    out.result({ conversationId, messageId, text, citations }, () => []);
    return;
  }
  out.part('\n');
  if (citations.length > 0) out.part('\n');
  for (const citation of citations) {
    const { number, title, heading, url } = citation;
    const parts = [title, heading, url].filter((part) => part !== null && part !== '');
    out.line(citation, () => `${out.paint('bold', `[${number}]`)} ${parts.map(cell).join(' · ')}`);
  }
}

function toCitation(part: ChatPart): Citation {
  const example = { title: '', providerMetadata: { gatehouse: { number: 0, documentId: '' } } };
  const { title = '', providerMetadata } = checked(part, example);
  const {
    number = 0,
    documentId = '',
    heading = null,
    url = null,
  } = providerMetadata?.gatehouse ?? {};
  return { number, title, heading, url, documentId };
}
