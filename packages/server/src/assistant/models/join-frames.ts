const BLANK_LINE = /\r?\n\r?\n/g;
const DATA = /^data: ?(\{.*\})$/;

interface Choice {
  readonly delta: { readonly content: string };
}

/** An event that says a piece of text and nothing else. */
interface TextEvent {
  readonly choices: readonly [Choice];
}

/**
 * Joins the pieces of text that arrive together: each costs the SDK as much as a long one, and when there is
 * too much to do more of them arrive at once. What else a stream holds goes on as it came, and nothing is
 * held back.
 */
export class FrameJoiner {
  /** Whether the last bytes ended in the middle of an event. */
  #inside = false;

  /** Bytes that say the same. There must be some. */
  join(bytes: Buffer): Uint8Array {
    const text = bytes.toString('latin1');
    const ends = Array.from(text.matchAll(BLANK_LINE), ({ 0: line, index }) => index + line.length);
    const end = ends.at(-1) ?? 0;
    const begin = this.#inside ? (ends[0] ?? 0) : 0;
    const whole = ends.length - (this.#inside ? 1 : 0);
    this.#inside = end < bytes.length;
    if (whole < 2) return bytes;
    // Between two ends no character is cut.
    const events = joined(bytes.toString('utf8', begin, end).split(BLANK_LINE).slice(0, -1));
    const between = Buffer.from(events.map((event) => `${event}\n\n`).join(''));
    return Buffer.concat([bytes.subarray(0, begin), between, bytes.subarray(end)]);
  }
}

function joined(events: readonly string[]): string[] {
  const all: string[] = [];
  let texts: TextEvent[] = [];
  const say = () => {
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
      say();
      all.push(event);
    }
  }
  say();
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

/** Members that we do not know are no text, unless they are null as in all that has nothing to say of them. */
function isTextEvent(value: unknown): value is TextEvent {
  const { choices, usage, error } = Object(value);
  if (usage != null || error != null || !Array.isArray(choices) || choices.length !== 1)
    return false;
  const { index, delta, ...ofChoice } = Object(choices[0]);
  const { role, content, ...ofDelta } = Object(delta);
  const others = [...Object.values(ofChoice), ...Object.values(ofDelta)];
  return typeof content === 'string' && others.every((other) => other === null);
}
