// Claim: ten attachments of the maximum length add at most 500 ms (p50) to the time until the first part of an answer, and meanwhile no
// other request waits longer than 100 ms (p99). Asks in conversations with ten attachments and in conversations without any.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FilePart } from '../../packages/contract/src/index.ts';
import { attach } from '../../packages/server/tests/support/assistant/attachments.ts';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { word } from '../lib/knowledge.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round, spread } from '../lib/spread.ts';
import { processTime } from '../lib/thread-times.ts';
import { MARK, openSessions, question, settingsFor, startModel } from './setting.ts';
import { spawnStreams } from './spawn-streams.ts';

const options = numberOptions({
  chats: 20,
  files: 10,
  characters: 199_000,
  everyMs: 500,
  firstMs: 50,
  runs: 5,
});
const PROBE_EVERY_MS = 20;

using directory = temporaryDirectory();
await using model = await startModel({ firstMs: options.firstMs, pauseMs: 20, parts: 5 });
await using service = await startProvisioned(directory.path, {
  ...settingsFor(model),
  GATEHOUSE_RATE_LIMIT_ATTACHMENTS: '0',
});
const client = clientOf(service.url);
const key = service.authorization.replace('Bearer ', '');
const pid = service.process.pid ?? 0;

interface Chat {
  readonly session: string;
  readonly id: string;
}

async function openChats(kind: string): Promise<Chat[]> {
  const sessions = await openSessions(client, key, options.chats);
  return sessions.map((session, index) => ({ session, id: `${kind}-${index}` }));
}

/** Returns a text of real length with words of the benchmark's vocabulary, different in each file. */
function textOf(file: number): string {
  let text = `File ${file}.\n\n`;
  for (let at = file * 7919; text.length < options.characters; at += 1)
    text += at % 12 === 0 ? `${word(at % 20_000)}.\n\n` : `${word((at * 31) % 20_000)} `;
  return text.slice(0, options.characters);
}

interface Measured {
  readonly firstPart: { readonly p50: number; readonly p99: number };
  /** Duration of another request during the questions, in milliseconds. */
  readonly otherP99: number;
  /** Processor time of the service per question, in milliseconds. */
  readonly processorMs: number;
}

async function ask(
  chats: readonly Chat[],
  text: string,
  partsOf: (chat: Chat) => readonly FilePart[] = () => [],
): Promise<Measured> {
  const done = new AbortController();
  const others = probe(done.signal);
  const before = processTime(pid);
  const result = await spawnStreams({
    port: service.port,
    requests: chats.map((chat) =>
      question(chat.session, text, [], { id: chat.id, parts: partsOf(chat) }),
    ),
    mark: MARK,
    withinMs: chats.length * options.everyMs,
  });
  const processorMs = (processTime(pid) - before) / 1000 / chats.length;
  done.abort();
  const times = (await others).toSorted((a, b) => a - b);
  if (result.complete < chats.length) throw new Error(`${result.complete} answers are complete`);
  const otherP99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  return { firstPart: result.firstPart, otherP99, processorMs };
}

async function probe(signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const startedAt = performance.now();
    await client('/healthz');
    times.push(performance.now() - startedAt);
    await sleep(PROBE_EVERY_MS);
  }
  return times;
}

const texts = Array.from({ length: options.files }, (_, file) => textOf(file));
const [without, withFiles] = [await openChats('without'), await openChats('with')];
const parts = new Map<Chat, FilePart[]>();
const startedAt = performance.now();
for (const chat of withFiles) {
  const files: FilePart[] = [];
  for (const [index, content] of texts.entries()) {
    const file = { name: `file-${index}.txt`, content };
    files.push((await attach(service.url, chat.session, chat.id, file)).part);
  }
  parts.set(chat, files);
}
const uploadMs = (performance.now() - startedAt) / (options.chats * options.files);

const rounds: { readonly without: Measured; readonly with: Measured }[] = [];
for (let run = 0; run <= options.runs; run += 1) {
  const text = `${word(run + 40)} ${word(run + 900)} ${word(run + 5000)}?`;
  // The first round is a warm-up, and sends the attachments.
  rounds.push({
    without: await ask(without, text),
    with: await ask(withFiles, text, (chat) => (run === 0 ? (parts.get(chat) ?? []) : [])),
  });
  process.stderr.write(`run ${run} of ${options.runs}\n`);
}
const [, ...measured] = rounds;

function shown(kind: 'without' | 'with'): object {
  return {
    firstPartP50Ms: spread(measured.map((one) => one[kind].firstPart.p50)),
    firstPartP99Ms: spread(measured.map((one) => one[kind].firstPart.p99)),
    otherRequestsP99Ms: spread(measured.map((one) => one[kind].otherP99)),
    processorMsPerQuestion: spread(measured.map((one) => one[kind].processorMs)),
  };
}

report('cost of a turn in a conversation with attachments of the maximum length', {
  options,
  uploadMs: round(uploadMs),
  withoutAttachments: shown('without'),
  withAttachments: shown('with'),
  addedP50Ms: spread(measured.map((one) => one.with.firstPart.p50 - one.without.firstPart.p50)),
  residentMB: round(service.rss()),
  targets: { addedP50Ms: 500, otherRequestsP99Ms: 100 },
});
