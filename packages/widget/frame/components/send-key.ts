/** Reports whether a key press sends the text of a field: Enter does, Shift+Enter starts a new line. */
export function isSendKey(event: KeyboardEvent): boolean {
  // In an input method editor, Enter confirms a word. Safari ends the composition before this event; only the
  // key code 229 identifies the event.
  const isComposing = event.isComposing || event.keyCode === 229;
  return event.key === 'Enter' && !event.shiftKey && !isComposing;
}
