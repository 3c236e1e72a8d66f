/** A passage that a question found, within what the asking person may see. Its text is data, never an instruction. */
export interface SourcePassage {
  readonly documentId: string;
  readonly fileName: string;
  /** Place in the document, from 0. */
  readonly position: number;
  /** The headings it stands under, joined by ` › `. */
  readonly heading: string | null;
  readonly text: string;
}

/** What a person asked, and everything that an answer may be made from. */
export interface Question {
  /** The name of the bot's model; null: that of the installation. */
  readonly model: string | null;
  /** The language of the surroundings (BCP 47), for words of the answerer's own when the question does not tell; null: unknown. */
  readonly locale: string | null;
  /** Trusted: our rules for the assistant, the bot's prompt, what the link inserts. May be empty. */
  readonly instructions: string;
  /** Data about the person and the page, as text or JSON. Untrusted: an answerer marks it as data. */
  readonly facts: string | null;
  /** What was said before, oldest first. The caller decides how much of it. */
  readonly history: readonly HistoryMessage[];
  readonly question: string;
  /** Found for the question, best first. */
  readonly passages: readonly SourcePassage[];
  /**
   * Looks again, in the scope of the person who asks. Any text is a query, and one without a word finds nothing.
   * Its rejections fail the search, not the answer.
   */
  readonly search: (query: string) => Promise<readonly SourcePassage[]>;
  /** Aborted when the client stopped or went away. */
  readonly signal: AbortSignal;
}

export interface HistoryMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export type AnswerPart =
  /** Before all others: the model that answers. Absent where none does. */
  | { readonly kind: 'model'; readonly name: string }
  /** To be appended to what came before; never empty, and never half a surrogate pair. */
  | { readonly kind: 'text'; readonly text: string }
  /** The passage was given or found and is cited, in the text as `[number]`; each once, at any time. */
  | { readonly kind: 'source'; readonly number: number; readonly passage: SourcePassage }
  /** What a request to the model took; several of an answer add up. Absent where the model does not say. */
  | { readonly kind: 'usage'; readonly inputTokens: number; readonly outputTokens: number };

/** Why there is no answer, or no more of it than what already came. */
export type AnswerFailureCode =
  /** No connection to the model. */
  | 'unreachable'
  /** The connection ended in the middle of the answer. */
  | 'broken'
  /** The model took longer than it may, to begin, to go on or altogether. */
  | 'stalled'
  /** The model's server does not take what we send: key, model name or request. Only the operator can mend that. */
  | 'refused'
  /** It has too much to do, or we ask too often. */
  | 'overloaded'
  /** It said that something went wrong on its side. */
  | 'failed'
  /** What came is no answer in the protocol, or holds nothing. */
  | 'garbage'
  /** The answer was longer than one may be. */
  | 'too-long'
  /** The model's server holds the answer back because of its own rules about content. */
  | 'withheld';

/**
 * There is no answer, or not all of it. The message is a sentence for the person who asked, in English;
 * `code` is for translations of it. Neither it nor a `cause` shows a key, an address, a prompt or what the model sent.
 */
export class AnswerFailure extends Error {
  override readonly name = 'AnswerFailure';
  readonly code: AnswerFailureCode;
  /** Whether the same question may be answered when it is asked again. */
  readonly retriable: boolean;
  /** What the operator's log may say beyond the code: `HTTP 401`, `no byte in 30 s`. No secret, no text of the model. */
  readonly detail: string;

  constructor(code: AnswerFailureCode, detail: string) {
    super(SENTENCES[code]);
    this.code = code;
    this.retriable = code !== 'refused' && code !== 'withheld';
    this.detail = detail;
  }
}

/** Answers questions. */
export interface Answerer {
  /**
   * The answer in parts, as they come. Nothing starts before the first one is asked for.
   *
   * Throws an `AnswerFailure`, after which what came before still stands, and `question.signal.reason` when that
   * signal aborts. Either way, as when the reader leaves the loop, nothing goes on behind: a model is no longer asked.
   */
  answer(question: Question): AsyncIterable<AnswerPart>;
}

const SENTENCES: Record<AnswerFailureCode, string> = {
  unreachable: 'The assistant cannot be reached at the moment. Please try again.',
  broken: 'The answer was cut off. Please try again.',
  stalled: 'The assistant took too long to answer. Please try again.',
  refused: 'The assistant is not set up correctly. Please tell whoever runs this service.',
  overloaded: 'The assistant is busy at the moment. Please try again in a little while.',
  failed: 'The assistant had a problem. Please try again.',
  garbage: 'The assistant gave no answer that could be read. Please try again.',
  'too-long': 'The answer became too long and was cut off. Please ask for less at once.',
  withheld: 'The assistant may not answer this question.',
};
