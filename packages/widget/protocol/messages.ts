/** The version of the messages. Messages of other versions are ignored. */
export const PROTOCOL = 1;

/** The layout of the widget in its page. */
export type Mode = 'bubble' | 'inline' | 'panel' | 'page';

/** Facts about the page for the assistant, as JSON. */
export type Context = Readonly<Record<string, unknown>>;

/** Messages from the embedding page to the frame. */
export type ToFrame =
  /** The response to `ready`, and the first message. */
  | {
      readonly type: 'init';
      readonly mode: Mode;
      /** BCP 47. `null`: the language of the link or the browser. */
      readonly locale: string | null;
      readonly context: Context | null;
      /** Reports whether the page can provide a new token when the link ends. */
      readonly canRenew: boolean;
    }
  | { readonly type: 'context'; readonly context: Context | null }
  /** The response to `token-needed`. `null`: the page has none. */
  | { readonly type: 'token'; readonly token: string | null }
  | { readonly type: 'shown' }
  | { readonly type: 'hidden' };

/** The state of the link. */
export type LinkState = 'open' | 'waiting' | 'expired' | 'revoked' | 'unknown';

/** Messages from the frame to the embedding page. None contains the text of a question or an answer. */
export type ToHost =
  /** The frame listens to messages. Sent for each load of the frame. */
  | { readonly type: 'ready' }
  | { readonly type: 'state'; readonly state: LinkState }
  /** The appearance that an open link sets. */
  | {
      readonly type: 'look';
      readonly title: string;
      /** A colour as `#rrggbb`. `null`: the default. */
      readonly accent: string | null;
      readonly position: 'left' | 'right' | null;
    }
  /** Requests another link of the same person, because this one has ended. */
  | { readonly type: 'token-needed' }
  /** The person closes the chat. */
  | { readonly type: 'close' }
  | { readonly type: 'question' }
  | { readonly type: 'answer'; readonly state: 'finished' | 'stopped' | 'failed' };

type Checks<M extends { readonly type: string }> = {
  readonly [T in M['type']]: {
    readonly [K in Exclude<keyof Extract<M, { type: T }>, 'type'>]: (value: unknown) => boolean;
  };
};

/** Wraps a message for `postMessage`. */
export function seal(message: ToFrame | ToHost): object {
  return { ...message, gatehouse: PROTOCOL };
}

/**
 * Parses the data of a `postMessage` event. Returns `null` for messages of other senders, other versions, and
 * members of the wrong type. Drops unknown members. The receiver must check the window and the origin.
 */
export function readMessage<M extends { readonly type: string }>(
  data: unknown,
  checks: Checks<M>,
): M | null {
  if (!isObject(data) || data['gatehouse'] !== PROTOCOL) return null;
  const type = data['type'];
  if (typeof type !== 'string' || !Object.hasOwn(checks, type)) return null;
  const members = Object.entries(checks[type as M['type']]) as [string, (v: unknown) => boolean][];
  const message: Record<string, unknown> = { type };
  for (const [name, isRight] of members) {
    const value = data[name];
    if (!isRight(value)) return null;
    message[name] = value;
  }
  return message as unknown as M;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown) => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const orNull = (isRight: (value: unknown) => boolean) => (value: unknown) =>
  value === null || isRight(value);
const oneOf =
  (...texts: readonly string[]) =>
  (value: unknown) =>
    texts.includes(value as string);

export const TO_FRAME: Checks<ToFrame> = {
  init: {
    mode: oneOf('bubble', 'inline', 'panel', 'page'),
    locale: orNull(isText),
    context: orNull(isObject),
    canRenew: isBoolean,
  },
  context: { context: orNull(isObject) },
  token: { token: orNull(isText) },
  shown: {},
  hidden: {},
};

export const TO_HOST: Checks<ToHost> = {
  ready: {},
  state: { state: oneOf('open', 'waiting', 'expired', 'revoked', 'unknown') },
  look: {
    title: isText,
    accent: orNull((value) => isText(value) && /^#[0-9a-f]{6}$/i.test(value as string)),
    position: orNull(oneOf('left', 'right')),
  },
  'token-needed': {},
  close: {},
  question: {},
  answer: { state: oneOf('finished', 'stopped', 'failed') },
};
