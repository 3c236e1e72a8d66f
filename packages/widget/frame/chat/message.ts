import type { Feedback, KeptMessage, SourcePart } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { Failure } from '../api/failure.ts';

/** A passage of a document that an answer cites. */
export interface Source {
  /** The number of its citation in the text: `[number]`. */
  readonly number: number;
  readonly title: string;
  readonly documentId: string;
  readonly position: number;
  readonly heading: string | null;
}

/** The received part of an answer. */
export interface AnswerData {
  readonly text: string;
  readonly sources: readonly Source[];
  readonly state: 'streaming' | 'finished' | 'stopped' | 'failed' | 'hidden';
  readonly failure: Failure | null;
  readonly rating: Feedback['rating'] | null;
}

export interface Question {
  readonly role: 'user';
  readonly id: string;
  readonly text: string;
}

export interface Answer {
  readonly role: 'assistant';
  /** The key of the element that renders it. The service's id arrives later. */
  readonly key: string;
  /** The service's id, or `null` until the stream contains it. */
  id: string | null;
  readonly view: Signal<AnswerData>;
}

export type Message = Question | Answer;

const EMPTY: AnswerData = {
  text: '',
  sources: [],
  state: 'streaming',
  failure: null,
  rating: null,
};

/** Creates an answer without text. */
export function newAnswer(): Answer {
  return { role: 'assistant', key: randomId(), id: null, view: signal(EMPTY) };
}

export function sourceOf({ title, providerMetadata }: SourcePart): Source {
  return { title, ...providerMetadata.gatehouse };
}

/** Converts a stored message. */
export function fromStored({ id, role, parts, metadata }: KeptMessage): Message {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (role === 'user') return { role, id, text };
  const view: AnswerData = {
    text,
    sources: parts.flatMap((part) => (part.type === 'source-document' ? [sourceOf(part)] : [])),
    state: metadata.state ?? 'finished',
    failure: null,
    rating: metadata.feedback?.rating ?? null,
  };
  return { role, key: id, id, view: signal(view) };
}

/** Converts a message to the format of the AI SDK. */
export function toUiMessage(message: Message): object {
  const text = message.role === 'user' ? message.text : message.view.peek().text;
  const { role, id } = message;
  return { ...(id === null ? {} : { id }), role, parts: [{ type: 'text', text }] };
}

/** Returns 128 random bits as hex. `crypto.randomUUID` is not available on plain HTTP. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
