import { ApiError } from '@gatehouse/contract';
import { denied, secondsText, tooMany } from '../../http/index.ts';

export function attachmentsDisabled(): ApiError {
  return denied('chat.attachments-disabled', 'This assistant accepts no attachments.');
}

/** @param bytes maximum size of an attachment. */
export function attachmentTooLarge(bytes: number): ApiError {
  const mebibytes = Math.round((bytes / 1024 / 1024) * 100) / 100;
  return new ApiError({
    status: 413,
    code: 'chat.attachment-too-large',
    message: `An attachment may have at most ${mebibytes} MiB.`,
  });
}

/** @param characters maximum characters of text. */
export function attachmentTooLong(characters: number): ApiError {
  return new ApiError({
    status: 413,
    code: 'chat.attachment-too-long',
    message: `The text of an attachment may have at most ${characters.toLocaleString('en')} characters; attach a part of the file.`,
  });
}

/** @param reason sentence for the owner of the file. */
export function attachmentUnreadable(reason: string): ApiError {
  return new ApiError({
    status: 400,
    code: 'chat.attachment-unreadable',
    message: `The text of the file could not be extracted. ${reason}`,
  });
}

/** The conversation or the link has its maximum number of attachments. */
export function noMoreAttachments(of: 'conversation' | 'link', max: number): ApiError {
  return denied(`chat.attachments-of-${of}`, `A ${of} can have at most ${max} attachments.`);
}

/** @param seconds time until the next upload is allowed. */
export function tooManyAttachments(seconds: number): ApiError {
  return tooMany(
    'chat.too-many-attachments',
    `You have uploaded too many files in a short time. Try again in ${secondsText(seconds)}.`,
    seconds,
  );
}

/** Also the error for an attachment of another chat or person, so callers cannot probe for IDs. */
export function attachmentGone(): ApiError {
  return new ApiError({
    status: 400,
    code: 'chat.attachment-gone',
    message: 'This chat has no attachment with this URL. Upload the file again.',
  });
}
