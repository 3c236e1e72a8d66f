import {
  DOCUMENT_DELETED,
  DOCUMENT_UPSERTED,
  MAX_DOCUMENT_SUBJECT_LENGTH,
} from '@gatehouse/contract';

/** Whether events of this type change documents, which takes a right of its own. */
export function feedsKnowledge(type: unknown): boolean {
  return type === DOCUMENT_UPSERTED || type === DOCUMENT_DELETED;
}

/**
 * What is wrong with the `subject` of such an event, by which its document is known; null when nothing
 * is, or when it has a fault that other rules name. What is wrong with its `data` is noted at the
 * document, where it can be looked at and tried again.
 */
export function documentSubjectFault(subject: unknown): string | null {
  if (subject === undefined || subject === null)
    return 'subject: is required with this type, since it names the document';
  if (typeof subject !== 'string' || subject.length <= MAX_DOCUMENT_SUBJECT_LENGTH) return null;
  return `subject: must have at most ${MAX_DOCUMENT_SUBJECT_LENGTH} characters with this type`;
}
