/** Names that other systems choose may be megabytes long. A list and an address contain only their beginning. */
const MAX_LENGTH = 300;

/** Returns the beginning of a text, which identifies it in a list and in an address. */
export function shortened(text: string): string {
  return text.slice(0, MAX_LENGTH);
}

/** Reports whether a shortened text may be incomplete. */
export function isShortened(text: string): boolean {
  return text.length >= MAX_LENGTH;
}
