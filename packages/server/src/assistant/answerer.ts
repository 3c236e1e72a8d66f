/** A passage within the scope of the person who asks. Its text is untrusted data, never an instruction. */
export interface SourcePassage {
  readonly documentId: string;
  readonly fileName: string;
  /** Zero-based position in the document. */
  readonly position: number;
  /** The headings above the passage, joined by ` › `. */
  readonly heading: string | null;
  readonly text: string;
  /** True if the passage is a record, whose heading names it. Default false. */
  readonly isRecord?: boolean;
  /** Set if the passage is from a file that the person attached to the conversation. `documentId` is then the ID of the attachment. */
  readonly attachment?: { readonly mimeType: string };
}

/** Texts of the assistant that the widget shows. Members of the link override those of the bot. */
export interface AssistantTexts {
  /** Name of the bot. */
  readonly name: string;
  readonly title: string | null;
  readonly greeting: string | null;
  /** Suggested questions. */
  readonly suggestions: readonly string[];
  /** Whom to contact, in the bot's own words. Omitted: nobody. */
  readonly contact?: string;
  /** Set if the user can ask for a person in the chat. */
  readonly hasHandoff?: true;
}

/** A question and all data that an answerer may use. */
export interface Question {
  /** The name of the bot's model. `null`: the default model of the installation. */
  readonly model: string | null;
  /** BCP 47 tag of the fallback language, for a question whose language cannot be detected. `null`: unknown. */
  readonly locale: string | null;
  readonly texts: AssistantTexts;
  /** Trusted instructions: the built-in rules, the bot's prompt and the link's prompt insertion. May be empty. */
  readonly instructions: string;
  /** Untrusted data about the person and the page, as JSON. An answerer must mark it as data. */
  readonly facts: string | null;
  /**
   * Earlier messages, oldest first. The caller limits their length. A question without an answer is directly followed by the
   * next question.
   */
  readonly history: readonly HistoryMessage[];
  readonly question: string;
  /** Passages found for the question, best first. */
  readonly passages: readonly SourcePassage[];
  /**
   * Searches again in the scope of the person who asks. A query without words finds nothing. If the search rejects, the answer
   * must still succeed.
   */
  readonly search: (query: string) => Promise<readonly SourcePassage[]>;
  /** `true`: the budget for models is used up, so no model may be asked. */
  readonly isBudgetUsed: boolean;
  /** `true`: the reasoning of a model is part of the answer. */
  readonly showsReasoning: boolean;
  /** Tools of the bot. A model may call them; an answerer without a model ignores them. */
  readonly tools: readonly AnswerTool[];
  /** Aborts when the client stops the answer or disconnects. */
  readonly signal: AbortSignal;
}

/** A tool of the bot, bound to the link of the person who asks. */
export interface AnswerTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly needsConsent: boolean;
  /** `true`: the page in which the person asks runs the tool and has written its description. Default false. */
  readonly isOfPage?: boolean;
  /**
   * Checks the arguments and prepares a call.
   *
   * @param input arguments from the model. Untrusted.
   * @param signal aborts the call.
   */
  start(input: unknown, signal: AbortSignal): Promise<StartedCall>;
}

export type StartedCall =
  /** The arguments do not match the schema. The text is for the model. */
  | { readonly problem: string }
  | {
      readonly call: ToolCall;
      /** Waits for consent, if the call needs it, and sends the call. Rejects only if the signal aborts. */
      result(): Promise<ToolResult>;
    };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly input: unknown;
  /** `true`: a person must decide before the call is sent. */
  readonly needsConsent: boolean;
  /** Set if the client runs the tool. Default: the service calls it. */
  readonly runsIn?: 'page';
}

export interface ToolResult {
  readonly outcome: 'succeeded' | 'failed' | 'denied';
  /** Untrusted text for the model. */
  readonly text: string;
}

export interface HistoryMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export type AnswerPart =
  /** The model that is asked. Precedes all other parts. A second `model` part means that another model took over. */
  | { readonly kind: 'model'; readonly name: string }
  /** A request to the model starts. An answer can need several requests. */
  | { readonly kind: 'request' }
  /** Text to append. Never empty, and always well-formed. */
  | { readonly kind: 'text'; readonly text: string }
  /** Reasoning of a model, only with `Question.showsReasoning`. Not part of the text. Never empty, and always well-formed. */
  | { readonly kind: 'reasoning'; readonly text: string }
  /** A passage that the text cites as `[number]`. Each passage is reported once. */
  | { readonly kind: 'source'; readonly number: number; readonly passage: SourcePassage }
  /** A tool of the bot is called, or waits for the consent of the person. */
  | { readonly kind: 'tool-call'; readonly call: ToolCall }
  | { readonly kind: 'tool-result'; readonly id: string; readonly outcome: ToolResult['outcome'] }
  /** The documents contain nothing about the question. At most once, after the text. Omitted for small talk. */
  | { readonly kind: 'unanswered' }
  /** The tokens of the last request to the model. Omitted if the model reports no tokens. */
  | { readonly kind: 'usage'; readonly inputTokens: number; readonly outputTokens: number };

/** The reason why an answer is missing or incomplete. */
export type AnswerFailureCode =
  | 'unreachable'
  | 'broken'
  /** The model exceeded a timeout. There are timeouts for the first part, between parts, and for the whole answer. */
  | 'stalled'
  /** The model's server rejects the key, the model name or the request. The operator must fix the configuration. */
  | 'refused'
  /** The model's server is overloaded or enforces a rate limit. */
  | 'overloaded'
  /** The model's server reports an internal error. */
  | 'failed'
  /** The response violates the protocol or is empty. */
  | 'garbage'
  | 'too-long'
  /** The content filter of the model's server blocks the answer. */
  | 'withheld';

/**
 * An answer is missing or incomplete. The message is written for the person who asked; clients translate it by `code`.
 * No property contains a key, an address, a prompt or output of the model.
 */
export class AnswerFailure extends Error {
  override readonly name = 'AnswerFailure';
  readonly code: AnswerFailureCode;
  /** `true` if a retry of the same question may succeed. */
  readonly retriable: boolean;
  /** Details for the operator's log, such as `HTTP 401`. Contains no secrets and no output of the model. */
  readonly detail: string;

  constructor(code: AnswerFailureCode, detail: string) {
    super(MESSAGES[code]);
    this.code = code;
    this.retriable = code !== 'refused' && code !== 'withheld';
    this.detail = detail;
  }
}

export interface Answerer {
  /**
   * Streams the parts of an answer. Work starts with the first iteration. Stops all work, including requests to a model, when
   * the iteration ends for any reason.
   *
   * @throws {AnswerFailure} if the answer fails. Parts that were already yielded remain valid.
   * @throws `question.signal.reason` if the signal aborts.
   */
  answer(question: Question): AsyncIterable<AnswerPart>;
}

const MESSAGES: Record<AnswerFailureCode, string> = {
  unreachable: 'The assistant is unavailable right now. Please try again.',
  broken: 'The answer was cut off. Please try again.',
  stalled: 'The assistant took too long to answer. Please try again.',
  refused: 'The assistant is not set up correctly. Please contact the administrator.',
  overloaded: 'The assistant is busy right now. Please try again in a moment.',
  failed: 'The assistant ran into a problem. Please try again.',
  garbage: 'The assistant sent an unreadable answer. Please try again.',
  'too-long': 'The answer was too long and was cut off. Please ask a more specific question.',
  withheld: 'The assistant cannot answer this question.',
};
