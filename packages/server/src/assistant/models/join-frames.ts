const BLANK_LINE = /\r?\n\r?\n/g;
const DATA = /^data: ?(\{.*\})$/;

interface Choice {
  readonly delta: { readonly content: string };
}

interface TextEvent {
  readonly choices: readonly [Choice];
}

/**
 * Joins text events that arrive together. The SDK needs about the same time for each event, whatever the event's length, so
 * joining saves time under load, when many events arrive together. Other events pass unchanged, and nothing is delayed.
 */
export class FrameJoiner {
  /** `true` if the last bytes ended within an event. */
  #isInsideEvent = false;

  /**
   * Returns bytes with the same content as a stream.
   *
   * @param bytes not empty.
   */
  join(bytes: Buffer): Uint8Array {
    const text = bytes.toString('latin1');
    const ends = Array.from(text.matchAll(BLANK_LINE), ({ 0: line, index }) => index + line.length);
    const end = ends.at(-1) ?? 0;
    const begin = this.#isInsideEvent ? (ends[0] ?? 0) : 0;
    const completeEvents = ends.length - (this.#isInsideEvent ? 1 : 0);
    this.#isInsideEvent = end < bytes.length;
    if (completeEvents < 2) return bytes;
    // These bytes are complete events, so no character is split.
    const events = joinTexts(bytes.toString('utf8', begin, end).split(BLANK_LINE).slice(0, -1));
    const between = Buffer.from(events.map((event) => `${event}\n\n`).join(''));
    return Buffer.concat([bytes.subarray(0, begin), between, bytes.subarray(end)]);
  }
}

function joinTexts(events: readonly string[]): string[] {
  const all: string[] = [];
  let texts: TextEvent[] = [];
  const flush = () => {
    const [first] = texts;
    if (first === undefined) return;
    const content = texts.map(({ choices }) => choices[0].delta.content).join('');
    const [choice] = first.choices;
    const choices = [{ ...choice, delta: { ...choice.delta, content } }];
    all.push(`data: ${JSON.stringify({ ...first, choices })}`);
    texts = [];
  };
  for (const event of events) {
    const text = textEventOf(event);
    if (text !== null) texts.push(text);
    else {
      flush();
      all.push(event);
    }
  }
  flush();
  return all;
}

function textEventOf(event: string): TextEvent | null {
  const data = DATA.exec(event)?.[1];
  if (data === undefined) return null;
  try {
    const value: unknown = JSON.parse(data);
    return isTextEvent(value) ? value : null;
  } catch {
    return null;
  }
}

/** Reports whether an event contains only text. Unknown members must be `null`. */
function isTextEvent(value: unknown): value is TextEvent {
  const { choices, usage, error } = Object(value);
  if (usage != null || error != null || !Array.isArray(choices) || choices.length !== 1)
    return false;
  const { index, delta, ...ofChoice } = Object(choices[0]);
  const { role, content, ...ofDelta } = Object(delta);
  const others = [...Object.values(ofChoice), ...Object.values(ofDelta)];
  return typeof content === 'string' && others.every((other) => other === null);
}
