/** The protocol version. Messages of other versions are ignored. */
export const PROTOCOL = 1;

/** Fragment of the URL of a frame that the loader has created. */
export const EMBEDDED_HASH = '#embedded';

/** The layout of the widget in its page. */
export type Mode = 'bubble' | 'inline' | 'panel' | 'page';

/** Facts about the page for the assistant. Must be serializable as JSON. */
export type Context = Readonly<Record<string, unknown>>;

/** A colour scheme. `null`: no preference. */
export type Scheme = 'light' | 'dark' | null;

/** Maximum length of a question in UTF-16 code units. The service rejects longer questions. */
export const MAX_QUESTION_LENGTH = 4000;

/** Reports whether the service accepts a text as a question. */
export function isQuestion(text: unknown): text is string {
  return (
    isText(text) && /\S/.test(text) && text.length <= MAX_QUESTION_LENGTH && !text.includes('\0')
  );
}

export type ToFrame =
  /** Sent in response to `ready`, after the `tools` of the page. */
  | {
      readonly type: 'init';
      readonly mode: Mode;
      /** BCP 47 tag. `null`: the language of the link or the browser. */
      readonly locale: string | null;
      readonly context: Context | null;
      /** `true` if the page can provide a new token when the link ends. */
      readonly canRenew: boolean;
    }
  | { readonly type: 'context'; readonly context: Context | null }
  /** A question for the conversation. The loader sends each question once, after `init`. */
  | {
      readonly type: 'ask';
      readonly text: string;
      /** `false`: the question only replaces the text in the text field. */
      readonly send: boolean;
    }
  | {
      readonly type: 'theme';
      /** The scheme that the page has set with `setTheme`. Takes precedence over the link's scheme. */
      readonly chosen: Scheme;
      /** The scheme in which the page is shown. The link's scheme takes precedence. */
      readonly page: Scheme;
    }
  /** The response to `token-needed`. `null`: the page cannot provide a token. */
  | { readonly type: 'token'; readonly token: string | null }
  | { readonly type: 'shown' }
  | { readonly type: 'hidden' }
  /** All tools of the page. Replaces the earlier ones. */
  | { readonly type: 'tools'; readonly tools: readonly OfferedTool[] }
  | ToolResultMessage;

/** A tool that the page has registered. The service checks the other members of the definition. */
export interface OfferedTool {
  readonly name: string;
  /** `true`: the tool runs without the consent of the person. */
  readonly harmless?: boolean;
}

/** The result of a `tool-call`. The page sends one for each call. */
export interface ToolResultMessage {
  readonly type: 'tool-result';
  readonly id: string;
  readonly outcome: 'succeeded' | 'failed';
  /** Untrusted text for the model. */
  readonly text: string;
}

export type LinkState = 'open' | 'waiting' | 'expired' | 'revoked' | 'unknown';

/**
 * Messages from the frame to the embedding page. No message contains the text of a question or an answer, but a model chooses the
 * arguments of a `tool-call` from them.
 */
export type ToHost =
  /** The frame is listening. Sent each time the frame loads. */
  | { readonly type: 'ready' }
  | { readonly type: 'state'; readonly state: LinkState }
  /** The appearance that the link sets. Sent when the link is open. */
  | {
      readonly type: 'look';
      readonly title: string;
      /** A colour as `#rrggbb`. `null`: the default. */
      readonly accent: string | null;
      readonly position: 'left' | 'right' | null;
    }
  /** Requests a new link token for the same person, because the link has ended. */
  | { readonly type: 'token-needed' }
  | { readonly type: 'close' }
  | { readonly type: 'question' }
  | { readonly type: 'answer'; readonly state: 'finished' | 'stopped' | 'failed' }
  | PageToolMessage;

/** Messages about the calls of tools that the page has registered. */
export type PageToolMessage =
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly input: object;
    }
  /** The answer ended before the page returned a result. */
  | { readonly type: 'tool-end'; readonly id: string };

type Checks<M extends { readonly type: string }> = {
  readonly [T in M['type']]: {
    readonly [K in Exclude<keyof Extract<M, { type: T }>, 'type'>]: (value: unknown) => boolean;
  };
};

export function seal(message: ToFrame | ToHost): object {
  return { ...message, gatehouse: PROTOCOL };
}

/**
 * Parses the data of a `postMessage` event. Returns `null` if the data is not a message of this version or a member
 * has the wrong type. Drops unknown members. The caller must check the window and the origin of the event.
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
  for (const [name, isValid] of members) {
    const value = data[name];
    if (!isValid(value)) return null;
    message[name] = value;
  }
  return message as unknown as M;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const orNull = (isValid: (value: unknown) => boolean) => (value: unknown) =>
  value === null || isValid(value);
const oneOf =
  (...texts: readonly string[]) =>
  (value: unknown) =>
    texts.includes(value as string);

/** Reports whether a value can be sent as `context`. */
export const isContext: (value: unknown) => boolean = orNull(isObject);
export const isScheme: (value: unknown) => boolean = orNull(oneOf('light', 'dark'));

export const TO_FRAME: Checks<Exclude<ToFrame, ToolResultMessage>> = {
  init: {
    mode: oneOf('bubble', 'inline', 'panel', 'page'),
    locale: orNull(isText),
    context: isContext,
    canRenew: isBoolean,
  },
  context: { context: isContext },
  ask: { text: isQuestion, send: isBoolean },
  theme: { chosen: isScheme, page: isScheme },
  token: { token: orNull(isText) },
  shown: {},
  hidden: {},
  tools: { tools: Array.isArray },
};

export const TO_HOST: Checks<Exclude<ToHost, PageToolMessage>> = {
  ready: {},
  state: { state: oneOf('open', 'waiting', 'expired', 'revoked', 'unknown') },
  look: {
    title: isText,
    accent: orNull((value) => isText(value) && /^#[0-9a-f]{6}$/i.test(value)),
    position: orNull(oneOf('left', 'right')),
  },
  'token-needed': {},
  close: {},
  question: {},
  answer: { state: oneOf('finished', 'stopped', 'failed') },
};

// The next two are separate, because only pages with tools load the code that reads these messages.

export const TOOL_RESULTS: Checks<ToolResultMessage> = {
  'tool-result': { id: isText, outcome: oneOf('succeeded', 'failed'), text: isText },
};

export const PAGE_TOOL_MESSAGES: Checks<PageToolMessage> = {
  'tool-call': { id: isText, name: isText, input: isObject },
  'tool-end': { id: isText },
};
