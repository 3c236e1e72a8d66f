import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type AnyRequest, sendRequest } from '@gatehouse/client';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { parseNumbersExactly } from '../input/exact-json.ts';
import { openInput } from '../input/open-input.ts';
import { chunksOf, writeBody } from '../output/body.ts';
import { escapeControls, printable, toJson } from '../output/text.ts';
import type { Context } from '../shell/context.ts';
import { wrongUse } from '../shell/failure.ts';
import { type Binding, bind } from './binding.ts';

interface ApiOptions {
  readonly data?: string;
  readonly type: string;
  readonly form?: readonly Pair[];
  readonly query?: readonly Pair[];
  readonly header?: readonly Pair[];
  readonly output?: string;
}
type Pair = readonly [name: string, value: string];

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const JSON_TYPE = 'application/json';
/** Headers that the connection sets. */
const OWN_HEADERS =
  /^(authorization|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;
/** Timeout of a request with a body in milliseconds, as of an upload. */
const UPLOAD_TIMEOUT_MS = 600_000;

export function addApi(program: Command, binding: Binding): void {
  program
    .command('api')
    .summary('Send any request to the service.')
    .description(
      'Send any request with the stored credential, and print the body of the response: unchanged, or indented on a terminal. {spaceId} in the path or a query stands for the selected space. GET, PUT and DELETE are repeated after failures. All operations are listed at /docs/api of the service.',
    )
    .addArgument(
      new Argument('<method>', 'Method of the request.').choices(METHODS).argParser(method),
    )
    // Optional for the parser, which would otherwise report a forgotten method as a missing path.
    .argument('[path]', 'Path with an optional query, such as /spaces/{spaceId}/documents?limit=5.')
    .usage('[options] <method> <path>')
    .option('--data <body>', 'Body: JSON or other text, @file, or - for standard input.')
    .addOption(new Option('--type <media-type>', 'Media type of --data.').default(JSON_TYPE))
    .addOption(
      new Option(
        '--form <name=value>',
        'Part of a multipart/form-data body: text, or @file for the content of a file. Repeatable.',
      )
        .argParser(pairs('=', 'file=@returns.pdf'))
        .conflicts(['data', 'type']),
    )
    .option('--query <name=value>', 'Parameter of the query. Repeatable.', pairs('=', 'limit=5'))
    .option(
      "--header <'name: value'>",
      'Header of the request. Repeatable.',
      pairs(':', 'Idempotency-Key: order-1001'),
    )
    .option('--output <file>', 'File to write. - or omitted: standard output.')
    .action(
      bind<ApiOptions>(binding, async (context, [verb = '', path = ''], options) => {
        const { access, shell, signal } = context;
        const { url, key, token } = access;
        const request = await requestOf(context, verb.toUpperCase(), path, options);
        const timeout = request.body === undefined ? {} : { timeout: UPLOAD_TIMEOUT_MS };
        const client = { url, apiKey: key, token };
        const response = await sendRequest(client, request, { signal, ...timeout });
        if (options.output === undefined && shell.stdout.isTTY) await show(context, response);
        else await writeBody(context, response, options.output);
      }),
    );
}

function method(text: string): string {
  if (METHODS.includes(text.toUpperCase())) return text;
  throw new InvalidArgumentError(
    `Write the method before the path: ${METHODS.join(', ')}, such as GET /spaces.`,
  );
}

/** Returns a parser of a repeatable option with a name and a value. */
function pairs(separator: string, example: string) {
  return (text: string, earlier: readonly Pair[] = []): readonly Pair[] => {
    const at = text.indexOf(separator);
    if (at < 1) throw new InvalidArgumentError(`Use a name and a value, such as '${example}'.`);
    return [...earlier, [text.slice(0, at), text.slice(at + 1)]];
  };
}

async function requestOf(
  context: Context,
  verb: string,
  path: string,
  options: ApiOptions,
): Promise<AnyRequest> {
  const { data, type, form, query = [], header = [] } = options;
  if (!path.startsWith('/')) throw wrongUse('The path must start with /, such as /spaces.');
  if (verb === 'GET' && (data ?? form) !== undefined)
    throw wrongUse('A GET request has no body. Use --query for parameters, or another method.');
  const headers = headersOf(header);
  const target = await withSpace(context, path, query);
  if (form !== undefined)
    return { method: verb, path: target, headers, body: await formOf(context, form) };
  const body = data === undefined ? undefined : await bodyOf(context, data);
  if (body !== undefined) headers['content-type'] ??= type;
  return { method: verb, path: target, headers, body };
}

function headersOf(given: readonly Pair[]): Record<string, string> {
  const headers = new Headers();
  for (const [name, value] of given) {
    if (name.toLowerCase() === 'authorization')
      throw wrongUse('Use --key or GATEHOUSE_KEY for another credential, not --header.');
    if (OWN_HEADERS.test(name.toLowerCase())) throw wrongUse(`The header ${name} cannot be set.`);
    try {
      headers.append(name, value);
    } catch {
      throw wrongUse(`The header ${name} has an invalid name or value.`);
    }
  }
  return Object.fromEntries(headers);
}

/** Returns the path with its query and with the selected space. */
async function withSpace(context: Context, path: string, query: readonly Pair[]): Promise<string> {
  const needsSpace = [path, ...query.map(([, value]) => value)].some((text) =>
    text.includes(SPACE),
  );
  const spaceId = needsSpace ? await context.spaceId() : '';
  const filled = path.replaceAll(SPACE, () => encodeURIComponent(spaceId));
  const [placeholder] = /\{\w+\}/.exec(filled) ?? [];
  if (placeholder !== undefined) throw wrongUse(`Replace ${placeholder} in the path with a value.`);
  // A URL parser would change the path: DELETE /spaces/x/documents/.. deletes the space.
  if (/[#\\\p{Cc}]|^[^?]*\/(\.|%2e){1,2}([/?]|$)/iu.test(filled))
    throw wrongUse(
      'The path contains #, \\, a control character or the segment "." or "..". Percent-encode values, such as %23 for #.',
    );
  const added = new URLSearchParams(
    query.map(([name, value]) => [name, value.replaceAll(SPACE, () => spaceId)]),
  ).toString();
  if (added === '') return filled;
  return `${filled}${filled.includes('?') ? '&' : '?'}${added}`;
}
const SPACE = '{spaceId}';

/** Returns the text, or the content of a file or of standard input. */
async function bodyOf(context: Context, data: string): Promise<string | Uint8Array<ArrayBuffer>> {
  if (data === '-') return contentOf(context, data);
  return data.startsWith('@') ? contentOf(context, data.slice(1)) : data;
}

async function contentOf({ shell, signal }: Context, path: string): Promise<Buffer<ArrayBuffer>> {
  return Buffer.from(await buffer(openInput(path, shell.stdin, signal)));
}

async function formOf(context: Context, parts: readonly Pair[]): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (!value.startsWith('@')) form.append(name, value);
    else {
      const path = value.slice(1);
      form.append(name, new Blob([await contentOf(context, path)]), basename(path));
    }
  }
  return form;
}

/** Prints the body of a response on a terminal. */
async function show({ out, shell, signal }: Context, response: Response): Promise<void> {
  const isJson = /^application\/json\b/i.test(response.headers.get('content-type') ?? '');
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunksOf(response, signal)) {
    const piece = decoder.decode(chunk, { stream: true });
    if (!isJson) shell.stdout.write(printable(piece));
    text = isJson ? text + piece : piece;
  }
  if (isJson) shell.stdout.write(out.json ? printable(escapeControls(text)) : indented(text));
  if (text !== '' && !text.endsWith('\n')) shell.stdout.write('\n');
}

function indented(text: string): string {
  try {
    return toJson(parseNumbersExactly(text), 2);
  } catch {
    return printable(text);
  }
}
