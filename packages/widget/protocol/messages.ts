/** The version of the messages. One of another version is not understood, and ignored. */
export const PROTOCOL = 1;

/** How the widget stands in its page. */
export type Mode = 'bubble' | 'inline' | 'panel' | 'page';

/** Facts about the page for the assistant, as JSON. */
export type Context = Readonly<Record<string, unknown>>;

/** What the embedding page says to the frame. */
export type ToFrame =
  /** The answer to `ready`, and the first message of all. */
  | {
      readonly type: 'init';
      readonly mode: Mode;
      /** BCP 47; null: as the link or the browser says. */
      readonly locale: string | null;
      readonly context: Context | null;
      /** Whether the page can give a new token when a link has ended. */
      readonly canRenew: boolean;
    }
  | { readonly type: 'context'; readonly context: Context | null }
  /** The answer to `token-needed`; null: there is none. */
  | { readonly type: 'token'; readonly token: string | null }
  | { readonly type: 'shown' }
  | { readonly type: 'hidden' };

/** Where the assistant stands with its link. */
export type LinkState = 'open' | 'waiting' | 'expired' | 'revoked' | 'unknown';

/** What the frame says to the embedding page. Nothing of what was asked or answered is in it. */
export type ToHost =
  /** It listens. Said again whenever the frame is loaded anew. */
  | { readonly type: 'ready' }
  | { readonly type: 'state'; readonly state: LinkState }
  /** How the link presents itself, once it is open. */
  | {
      readonly type: 'look';
      readonly title: string;
      /** A colour as `#rrggbb`; null: the default. */
      readonly accent: string | null;
      readonly position: 'left' | 'right' | null;
    }
  /** The link has ended: the page is asked for another, for the same person. */
  | { readonly type: 'token-needed' }
  /** The person wants it closed. */
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
 * The message in what came by `postMessage`, or null for anything else: other senders' messages, other
 * versions, members of the wrong type. Members it does not know are left out. Whether the sender may say
 * it, by window and origin, is the receiver's to check.
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
