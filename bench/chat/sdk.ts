// Claim: the stream of the SDK's provider takes less than a third of the CPU time and memory of `streamText`. Reads concurrent
// responses from memory with each function of the SDK, without the rest of the service.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  experimental_streamLanguageModelCall,
  experimental_streamTextLowMemory,
  streamText,
} from 'ai';
import { framesOf, streamOf } from '../../packages/server/tests/support/assistant/fake-model.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { type Spread, spread } from '../lib/spread.ts';

const options = numberOptions({ runs: 5, responses: 500, parts: 40 });
/** Number of parts of a response before the gate. */
const HALF = Math.ceil(options.parts / 2);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const encoder = new TextEncoder();
const FRAME = encoder.encode(framesOf(['word ']));
const END = encoder.encode(streamOf([]));

/** Opens a gate for all responses. */
interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Returns a model whose responses stop after half of their parts until the gate opens. */
function modelWith(gate: Gate) {
  const fetch = async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (sent === HALF) await gate.opened;
        await nextTurn();
        controller.enqueue(sent === options.parts ? END : FRAME);
        if (sent === options.parts) controller.close();
        sent += 1;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  return createOpenAICompatible({ name: 'model', baseURL: 'http://model', fetch })('model');
}

type Model = ReturnType<typeof modelWith>;
const messages = [{ role: 'user' as const, content: 'Hello' }];
const FUNCTIONS: Readonly<Record<string, (model: Model) => Promise<AsyncIterable<unknown>>>> = {
  streamText: async (model) => streamText({ model, messages }).fullStream,
  experimental_streamTextLowMemory: async (model) =>
    experimental_streamTextLowMemory({ model, messages }).fullStream,
  experimental_streamLanguageModelCall: async (model) =>
    (await experimental_streamLanguageModelCall({ model, messages })).stream,
  // `callModel` uses this function.
  doStream: async (model) => {
    const content = [{ type: 'text' as const, text: 'Hello' }];
    return (await model.doStream({ prompt: [{ role: 'user', content }] })).stream;
  },
};

/** Measures the CPU time per part in microseconds, and the live heap of half-read responses in kilobytes per response. */
async function measure(read: (model: Model) => Promise<AsyncIterable<unknown>>) {
  const gate = createGate();
  const model = modelWith(gate);
  collect();
  const before = process.memoryUsage().heapUsed;
  const start = process.threadCpuUsage();
  let received = 0;
  const readings = Array.from({ length: options.responses }, async () => {
    for await (const part of await read(model))
      if ((part as { type: string }).type === 'text-delta') received += 1;
  });
  while (received < options.responses * HALF) await nextTurn();
  const untilHalf = process.threadCpuUsage(start);
  collect();
  const heap = process.memoryUsage().heapUsed - before;
  const middle = process.threadCpuUsage();
  gate.open();
  await Promise.all(readings);
  const fromHalf = process.threadCpuUsage(middle);
  if (received !== options.responses * options.parts)
    throw new Error(`${received} parts were received`);
  const cpu = [untilHalf, fromHalf].reduce((sum, { user, system }) => sum + user + system, 0);
  return { cpu: cpu / received, heap: heap / 1000 / options.responses };
}

const results: Record<string, { microsecondsPerPart: Spread; kilobytesPerResponse: Spread }> = {};
const measured = Object.entries(FUNCTIONS).map(([name, read]) => ({
  name,
  read,
  runs: [] as Awaited<ReturnType<typeof measure>>[],
}));
for (const { read } of measured) await measure(read);
for (let run = 0; run < options.runs; run += 1)
  for (const { read, runs } of measured) runs.push(await measure(read));
for (const { name, runs } of measured)
  results[name] = {
    microsecondsPerPart: spread(runs.map(({ cpu }) => cpu)),
    kilobytesPerResponse: spread(runs.map(({ heap }) => heap)),
  };

report('CPU time and memory of the SDK per response of a model', {
  options,
  results,
});
