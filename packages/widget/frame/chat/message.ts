import type { Feedback, FilePart, SourcePart } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { Failure } from '../api/failure.ts';

export interface Source {
  /** The number that cites this source in the text, as in `[1]`. */
  readonly number: number;
  readonly title: string;
  readonly fileName: string;
  readonly documentId: string;
  readonly position: number;
  readonly heading: string | null;
  readonly url: string | null;
  /** Set if the source is an attachment of the conversation. */
  readonly attachment?: { readonly text: string } | undefined;
}

/** A part about a tool call. `components/tools` reads it, which is loaded with the first call. */
export interface ToolPart {
  readonly kind?: undefined;
  readonly type: string;
  readonly toolCallId: string;
  readonly [member: string]: unknown;
}

/** The part of an answer that has been received. */
export interface AnswerData {
  readonly text: string;
  /** Reasoning of the model. Not stored with the answer. */
  readonly reasoning: string;
  /** Further questions. Not stored with the answer. */
  readonly suggestions: readonly string[];
  readonly sources: readonly Source[];
  /** Parts about tool calls, in order of arrival. Not stored with the answer. */
  readonly tools: readonly ToolPart[];
  readonly state: 'streaming' | 'finished' | 'stopped' | 'failed' | 'hidden';
  readonly failure: Failure | null;
  readonly rating: Feedback['rating'] | null;
}

export interface Question {
  readonly role: 'user';
  readonly id: string;
  readonly text: string;
  /** Attachments. Absent until their uploads have ended. */
  files?: readonly FilePart[] | undefined;
}

export interface Answer {
  readonly role: 'assistant';
  /** Preact key. Stable, unlike `id`, which arrives later. */
  readonly key: string;
  /** ID that the service assigned. `null` until the stream delivers the ID. */
  id: string | null;
  readonly view: Signal<AnswerData>;
  /** `true` while the answer is streaming and nothing has arrived for several seconds. */
  readonly isSlow: Signal<boolean>;
  /** `true` if the answer continues after a reload. Another page may run its tools. */
  isResumed?: boolean;
  /** Name of the person of the team who wrote the message. Absent if the assistant did. */
  readonly author?: string | undefined;
}

export type Message = Question | Answer;

export const EMPTY: AnswerData = {
  text: '',
  reasoning: '',
  suggestions: [],
  sources: [],
  tools: [],
  state: 'streaming',
  failure: null,
  rating: null,
};

export function newAnswer(view = EMPTY, id: string | null = null, author?: string): Answer {
  return {
    role: 'assistant',
    key: id ?? randomId(),
    id,
    view: signal(view),
    isSlow: signal(false),
    author,
  };
}

export function sourceOf({ title, filename, providerMetadata }: SourcePart): Source {
  return { title, fileName: filename, ...providerMetadata.gatehouse };
}

/** Returns 128 random bits as hex. `crypto.randomUUID` is not available on plain HTTP. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
