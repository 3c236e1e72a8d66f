// Before this script runs, the inline script of the page sends the first exchange and records whether the person has submitted the
// text field.

declare global {
  var early: { response: Promise<Response> | null; isSent?: boolean } | undefined;
}

/** A question that the person wrote before the session was open. */
export interface EarlyQuestion {
  readonly text: string;
  /** `true` if the person has sent the question. */
  readonly isSent: boolean;
}

/** Returns the response of the exchange that the page has started, or `null` for all calls except the first. */
export function takeEarlyResponse(): Promise<Response> | null {
  const response = globalThis.early?.response ?? null;
  if (globalThis.early !== undefined) globalThis.early.response = null;
  return response;
}

/** Returns the text field of the page, or `null` if the page was rendered without a text field. */
export function earlyField(): HTMLTextAreaElement | null {
  return document.querySelector('textarea');
}

/** Ends the handling of events by the inline script. Returns the question in the text field of the page. */
export function takeEarlyQuestion(field: HTMLTextAreaElement | null): EarlyQuestion {
  window.onkeydown = null;
  window.onsubmit = null;
  return { text: field?.value ?? '', isSent: globalThis.early?.isSent === true };
}
