import type { Feedback, KeptMessage, SourcePart } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { Failure } from '../api/failure.ts';

/** A place in a document that an answer cites. */
export interface Source {
  /** As the text cites it: `[number]`. */
  readonly number: number;
  readonly title: string;
  readonly documentId: string;
  readonly position: number;
  readonly heading: string | null;
}

/** An answer as far as it is known. */
export interface AnswerView {
  readonly text: string;
  readonly sources: readonly Source[];
  readonly state: 'coming' | 'finished' | 'stopped' | 'failed' | 'hidden';
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
  /** Of the element that shows it: the service's id comes later. */
  readonly key: string;
  /** The service's id; null while it has said none. */
  id: string | null;
  readonly view: Signal<AnswerView>;
}

export type Message = Question | Answer;

const EMPTY: AnswerView = { text: '', sources: [], state: 'coming', failure: null, rating: null };

/** An answer of which nothing has come yet. */
export function newAnswer(): Answer {
  return { role: 'assistant', key: randomId(), id: null, view: signal(EMPTY) };
}

export function sourceOf({ title, providerMetadata }: SourcePart): Source {
  return { title, ...providerMetadata.gatehouse };
}

/** A message as the service keeps it. */
export function fromKept({ id, role, parts, metadata }: KeptMessage): Message {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (role === 'user') return { role, id, text };
  const view: AnswerView = {
    text,
    sources: parts.flatMap((part) => (part.type === 'source-document' ? [sourceOf(part)] : [])),
    state: metadata.state ?? 'finished',
    failure: null,
    rating: metadata.feedback?.rating ?? null,
  };
  return { role, key: id, id, view: signal(view) };
}

/** A message as the AI SDK has it. */
export function toSent(message: Message): object {
  const text = message.role === 'user' ? message.text : message.view.peek().text;
  const { role, id } = message;
  return { ...(id === null ? {} : { id }), role, parts: [{ type: 'text', text }] };
}

/** 128 random bits. `crypto.randomUUID` is not there on plain http. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
