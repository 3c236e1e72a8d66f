import { isObject } from '../../lib/json/index.ts';

const LINE_FEED = 10;
const DATA = /^data: ?(\{.*\})\r?$/;
/** Matches text that may need a repair. Parsing all events would cost more than the rest of their processing. */
const SUSPICIOUS = new RegExp(
  [
    /"choices"\s*:\s*(?:null|\[\s*(?:null|\{\s*\}))/,
    /"(?:arguments|tool_calls|usage)"\s*:\s*\{/,
    /"object"\s*:\s*"error"/,
    /"thought"\s*:\s*true/,
    /"content"\s*:\s*"(?:<|\\u003c)\/thought/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
/** Cannot match in a text, whose quotes are escaped. */
const FINISH = /"finish_reason"\s*:\s*"[^"]/;
const DONE = /^data: ?\[DONE\]/m;
const STOP = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

/**
 * Repairs events of a stream that deviate from the protocol in ways that the SDK rejects:
 * - `choices` is `null` or missing, as some servers send with the token counts
 * - an empty choice precedes the answer
 * - the `arguments` of a tool call are an object instead of JSON text
 * - `tool_calls` is one tool call instead of a list
 * - an error has its members beside `"object": "error"` instead of in `error`
 * - reasoning is text that is marked as a thought, as Gemini sends it
 * - no event before `[DONE]` has a finish reason, as in tool calls of Text Generation Inference
 *
 * Other events pass unchanged. Incomplete lines are held back, which delays nothing, because the SDK waits for complete
 * events.
 */
export class EventRepairer {
  /** The bytes of the incomplete last line. */
  #rest: Buffer[] = [];
  #isFinished = false;

  /** Returns complete lines. May be empty. */
  push(bytes: Buffer): Buffer {
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const lines = end === 0 ? [] : [...this.#rest, bytes.subarray(0, end)];
    if (end > 0) this.#rest = [];
    if (end < bytes.length) this.#rest.push(bytes.subarray(end));
    return this.#repaired(concat(lines));
  }

  /** Returns the incomplete last line. May be empty. */
  end(): Buffer {
    const rest = concat(this.#rest);
    this.#rest = [];
    return this.#repaired(rest);
  }

  #repaired(lines: Buffer): Buffer {
    const text = lines.toString('latin1');
    const events = SUSPICIOUS.test(text) ? repaired(lines) : lines;
    this.#isFinished ||= FINISH.test(text);
    if (this.#isFinished || !DONE.test(text)) return events;
    this.#isFinished = true;
    return Buffer.from(events.toString('utf8').replace(DONE, `${STOP}$&`));
  }
}

function concat(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
}

function repaired(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('utf8').split('\n').map(repairedLine).join('\n'));
}

function repairedLine(line: string): string {
  const data = DATA.exec(line)?.[1];
  if (data === undefined || !SUSPICIOUS.test(data)) return line;
  try {
    const event: unknown = JSON.parse(data);
    return isObject(event) ? `data: ${JSON.stringify(repairedEvent(event))}` : line;
  } catch {
    return line;
  }
}

type Json = Readonly<Record<string, unknown>>;

function repairedEvent(event: Json): Json {
  const { choices, error } = event;
  if (error != null) return event;
  if (event['object'] === 'error') return { error: { message: '', ...event } };
  if (choices == null) return { ...event, choices: [] };
  if (!Array.isArray(choices)) return event;
  return { ...event, choices: choices.filter(isNotEmpty).map(repairedChoice) };
}

function isNotEmpty(choice: unknown): boolean {
  return choice !== null && !(isObject(choice) && Object.keys(choice).length === 0);
}

function repairedChoice(choice: unknown): unknown {
  if (!isObject(choice) || !isObject(choice['delta'])) return choice;
  const { delta } = choice;
  return { ...choice, delta: { ...delta, ...textOf(delta), ...toolCallsOf(delta) } };
}

function textOf({ content, extra_content: extra }: Json): Json {
  if (typeof content !== 'string') return {};
  const google = isObject(extra) ? extra['google'] : null;
  return isObject(google) && google['thought'] === true
    ? { content: null, reasoning_content: content.replace(/^<thought>/, '') }
    : { content: content.replace(/^<\/thought>/, '') };
}

function toolCallsOf({ tool_calls: given }: Json): Json {
  const calls = isObject(given) ? [given] : given;
  return Array.isArray(calls) ? { tool_calls: calls.map(repairedCall) } : {};
}

function repairedCall(call: unknown): unknown {
  if (!isObject(call) || !isObject(call['function'])) return call;
  const { arguments: input, ...named } = call['function'];
  if (!isObject(input)) return call;
  return { ...call, function: { ...named, arguments: JSON.stringify(input) } };
}
